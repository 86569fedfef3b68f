kernelmap.view({ name: "ops", title: "Ops", mount() {} });
