kernelmap.view({ name: "kernels", title: "Kernels", mount() {} });
