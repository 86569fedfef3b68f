kernelmap.start();
