// The search within the panes: every row that holds the text, and a way from one to the next.
kernelmap.findRows = (() => {
  const app = kernelmap.app;

  // panes: what kernelmap.pane gives; show(pane number, row) is called with what was reached.
  function findRows(panes, show) {
    const { el } = app;
    const box = el("input", { type: "search", placeholder: "Find in panes", "aria-label": "Find in the panes", spellcheck: "false", autocomplete: "off" });
    const told = el("span", { class: "told", role: "status" });
    const element = el("label", { class: "find" }, box, el("kbd", {}, "/"), told);
    let hits = []; // [pane number, row]
    let at = -1;

    function search() {
      const text = box.value.toLowerCase();
      hits = [];
      at = -1;
      panes.forEach((pane, number) => {
        const found = new Set();
        if (text) pane.content().lines.forEach((line, row) => line.toLowerCase().includes(text) && found.add(row));
        pane.light({ found, at: null });
        for (const row of found) hits.push([number, row]);
      });
      if (hits.length) step(1);
      else told.textContent = text ? "not found" : "";
    }

    function step(by) {
      if (!hits.length) return;
      at = (at + by + hits.length) % hits.length;
      const [number, row] = hits[at];
      panes.forEach((pane, each) => pane.light({ at: each === number ? row : null }));
      told.textContent = `${app.fmt.number(at + 1)} of ${app.fmt.number(hits.length)}`;
      show(number, row);
    }

    function clear() {
      box.value = "";
      search();
      box.blur();
    }

    box.addEventListener("input", search);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") clear();
      else return;
      event.preventDefault();
    });
    return { element, focus: () => (box.focus(), box.select()), again: () => box.value && search(), clear };
  }

  return findRows;
})();
