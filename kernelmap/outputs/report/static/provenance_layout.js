// The four panes beside each other: dividers that can be dragged, panes that can be folded.
kernelmap.layout = (() => {
  const app = kernelmap.app;
  const LEAST = 150; // pixels of an open pane

  // panes: what kernelmap.pane gives; parts: their widths at first, in any unit.
  function layout(panes, parts) {
    const { el } = app;
    const wide = [...parts];
    const folded = panes.map(() => false);
    const empty = panes.map(() => false); // folded because there is nothing in them
    const element = el("div", { class: "panes" });
    const dividers = panes.slice(1).map((_, at) =>
      el("div", { class: "divider", role: "separator", "aria-orientation": "vertical", tabindex: -1, onpointerdown: (event) => drag(event, at) }),
    );
    element.append(...panes.flatMap((pane, at) => (at ? [dividers[at - 1], pane.element] : [pane.element])));
    panes.forEach((pane, at) => pane.fold.addEventListener("click", () => fold(at, !folded[at])));

    function apply() {
      panes.forEach((pane, at) => {
        pane.element.classList.toggle("folded", folded[at]);
        pane.element.style.flexGrow = folded[at] ? 0 : wide[at];
        pane.fold.setAttribute("aria-expanded", String(!folded[at]));
      });
    }

    function fold(at, closed) {
      if (closed && folded.filter((each) => !each).length === 1) return; // one stays open
      folded[at] = closed;
      empty[at] = false;
      apply();
    }

    // Panes without anything in them make room for the others, until somebody opens them.
    function room(nothing) {
      panes.forEach((_, at) => {
        if (nothing[at] && !folded[at]) folded[at] = empty[at] = true;
        else if (!nothing[at] && empty[at]) folded[at] = empty[at] = false;
      });
      apply();
    }

    // The open panes on both sides of a divider share what they had.
    function drag(event, at) {
      const left = folded.lastIndexOf(false, at);
      const right = folded.indexOf(false, at + 1);
      if (left < 0 || right < 0) return;
      event.preventDefault();
      const divider = dividers[at];
      divider.setPointerCapture(event.pointerId);
      const open = panes.map((_, each) => each).filter((each) => !folded[each]);
      for (const each of open) wide[each] = panes[each].element.offsetWidth;
      const from = event.clientX;
      const [one, other] = [wide[left], wide[right]];
      const move = (moved) => {
        const by = Math.max(Math.min(LEAST - one, 0), Math.min(moved.clientX - from, Math.max(other - LEAST, 0)));
        [wide[left], wide[right]] = [one + by, other - by];
        apply();
      };
      const end = () => divider.removeEventListener("pointermove", move);
      divider.addEventListener("pointermove", move);
      divider.addEventListener("pointerup", end, { once: true });
      divider.addEventListener("pointercancel", end, { once: true });
    }

    apply();
    return { element, room };
  }

  return layout;
})();
