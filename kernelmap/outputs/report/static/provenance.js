// The component: kernelmap.views.provenance = { mount(element, data, app), open(params) }.
kernelmap.views.provenance = { mount() {}, open() {} };
kernelmap.view({ name: "provenance", title: "Provenance", key: "call", ...kernelmap.views.provenance });
