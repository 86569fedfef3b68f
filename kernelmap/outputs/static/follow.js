// A point of a chart with a text as customdata leads there.
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
  const watched = new WeakSet();
  function watch() {
    document.querySelectorAll(".js-plotly-plot").forEach((plot) => {
      if (!watched.has(plot) && plot.on) { watched.add(plot); plot.on("plotly_click", follow); }
    });
  }
  watch();
  new MutationObserver(watch).observe(document.documentElement, { childList: true, subtree: true });
})();
