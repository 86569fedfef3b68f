// Plotly, which stands in the page as text and is run when the first chart is drawn.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const QUIET = { displayModeBar: false };
  const sizes = new WeakMap(); // of the charts, as they were drawn
  const sizeOf = (element) => `${element.clientWidth} ${element.clientHeight}`;

  // A chart that is out of sight has no size; it takes its new one when it is seen again.
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (!target.clientWidth || sizes.get(target) === sizeOf(target)) continue;
      sizes.set(target, sizeOf(target));
      plotly().Plots.resize(target);
    }
  });

  function plotly() {
    if (!globalThis.Plotly) {
      const script = document.createElement("script");
      script.textContent = document.getElementById("plotly").textContent; // the page's policy knows its hash
      document.head.append(script);
    }
    return globalThis.Plotly;
  }

  // Text from the input as Plotly may have it: none of it is markup there.
  const plain = (text) => app.visible(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function layout(own) {
    const family = getComputedStyle(document.body).fontFamily;
    const label = { bgcolor: app.color("--card"), bordercolor: app.color("--line"), font: { family, color: app.color("--ink") }, align: "left" };
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hoverlabel: label,
      font: { family, size: 12, color: app.color("--ink") }, ...own,
    };
  }

  function chart(element, traces, own) {
    plotly().react(element, traces, layout(own), QUIET);
    if (sizes.has(element)) return;
    sizes.set(element, sizeOf(element));
    resized.observe(element);
  }

  return { chart, plain };
})());
