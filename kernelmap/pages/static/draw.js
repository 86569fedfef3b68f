// Draws the charts of a page from the figures that lie in it as JSON. A point with a text as
// customdata leads there.
(() => {
  "use strict";
  function follow(event) {
    const href = event.points?.[0]?.customdata;
    if (typeof href !== "string" || !href) return;
    const link = document.createElement("a");
    link.href = href;
    if (link.protocol !== location.protocol || link.host !== location.host) return;
    location.assign(link.href);
  }

  // A chart that is drawn already gets its new data and keeps the part that a reader zoomed into.
  globalThis.drawCharts = (part) => {
    for (const place of part.querySelectorAll("[data-figure]")) {
      const { data, layout, config } = JSON.parse(
        document.getElementById(place.dataset.figure).textContent);
      const isDrawn = place.classList.contains("js-plotly-plot");
      Plotly.react(place, data, { ...layout, uirevision: "kept" }, config);
      if (!isDrawn) place.on("plotly_click", follow);
    }
  };
  drawCharts(document);
})();
