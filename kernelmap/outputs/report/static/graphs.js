kernelmap.view({ name: "graphs", title: "Graphs", mount() {} });
