// Colors of ops: the ones with the most time get one each, the same in every view; the rest is gray.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const LIGHT = ["#4c83e0", "#e8913a", "#3fa678", "#b269c9", "#d9657a", "#3aa8b8", "#b59a2b", "#8a7be0", "#7aa63a", "#c7774b", "#5b8aa8", "#c760a0"];
  const DARK = ["#5b8de0", "#d68a45", "#4aa67d", "#ab74c2", "#cc6b7d", "#48a3b3", "#ab9540", "#8d80d6", "#80a34b", "#b97c58", "#658da8", "#b867a0"];
  function opColor(op) {
    const at = app.data.colored.indexOf(op);
    const dark = app.theme() === "dark";
    return at < 0 ? (dark ? "#6b7480" : "#a3abb6") : (dark ? DARK : LIGHT)[at];
  }

  // A color of a list, for things that have no order of their own.
  const numbered = (number) => (app.theme() === "dark" ? DARK : LIGHT)[number % LIGHT.length];

  return { opColor, numbered };
})());
