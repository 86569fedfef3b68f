kernelmap.view({ name: "overview", title: "Overview", mount() {} });
