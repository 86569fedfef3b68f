// Draws the charts of a page from the figures that lie in it as JSON.
(() => {
  "use strict";
  for (const place of document.querySelectorAll("[data-figure]")) {
    const { data, layout, config } = JSON.parse(
      document.getElementById(place.dataset.figure).textContent);
    Plotly.newPlot(place, data, layout, config);
  }
})();
