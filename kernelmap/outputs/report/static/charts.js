// Plotly, which stands in the page as text and is run when the first chart is drawn.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const QUIET = { responsive: true, displayModeBar: false };

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

  const chart = (element, traces, own) => plotly().react(element, traces, layout(own), QUIET);

  return { chart, plain };
})());
