// Colors of ops: the ones with the most time get one each, the same in every view; the rest is gray.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const LIGHT = ["#4c83e0", "#e8913a", "#3fa678", "#b269c9", "#d9657a", "#3aa8b8", "#b59a2b", "#8a7be0", "#7aa63a", "#c7774b", "#5b8aa8", "#c760a0"];
  const DARK = ["#5b8de0", "#d68a45", "#4aa67d", "#ab74c2", "#cc6b7d", "#48a3b3", "#ab9540", "#8d80d6", "#80a34b", "#b97c58", "#658da8", "#b867a0"];
  let place = null;

  function places() {
    const time = new Map();
    for (const { name, time_ns } of app.data.views.ops.ops) {
      if (!app.isRest(name)) time.set(name, (time.get(name) ?? 0) + time_ns);
    }
    const order = [...time].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return new Map(order.slice(0, LIGHT.length).map(([op], at) => [op, at]));
  }

  function opColor(op) {
    place ??= places();
    const at = place.get(op);
    const dark = app.theme() === "dark";
    return at === undefined ? (dark ? "#6b7480" : "#a3abb6") : (dark ? DARK : LIGHT)[at];
  }

  // A color of a list, for things that have no order of their own.
  const numbered = (number) => (app.theme() === "dark" ? DARK : LIGHT)[number % LIGHT.length];

  return { opColor, numbered };
})());
