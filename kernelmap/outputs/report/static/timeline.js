kernelmap.view({ name: "timeline", title: "Timeline", mount() {} });
