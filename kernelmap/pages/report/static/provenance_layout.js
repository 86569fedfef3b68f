// The four panes beside each other: dividers that can be dragged, panes that can be folded.
kernelmap.layout = (() => {
  const app = kernelmap.app;
  const LEAST = 150; // pixels of an open pane
  const FIRST = 0.32; // of the width: what the first pane takes at most for its lines to be read: more leaves the other three no code at 1440 pixels
  const STEP = 20; // pixels by which the key of a divider moves it
  const phone = matchMedia("(max-width: 700px)");

  // panes: what kernelmap.pane gives. At first they are as wide as their lines need, the first one
  // before the others; on a phone they stand below one another, those between the ends folded.
  function layout(panes) {
    const { el } = app;
    const wide = panes.map(() => 1);
    let moved = false; // whether somebody has chosen widths
    const folded = panes.map((_, at) => phone.matches && at > 0 && at < panes.length - 1);
    const empty = panes.map(() => false); // folded because there is nothing in them
    const element = el("div", { class: "panes" });
    const dividers = panes.slice(1).map((_, at) =>
      el("div", { class: "divider", role: "separator", "aria-orientation": "vertical", tabindex: 0, "aria-label": `Width of ${panes[at].name.textContent}`, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 50, onpointerdown: (event) => drag(event, at), onkeydown: (event) => push(event, at) }),
    );
    element.append(...panes.flatMap((pane, at) => (at ? [dividers[at - 1], pane.element] : [pane.element])));
    panes.forEach((pane, at) => pane.fold.addEventListener("click", () => fold(at, !folded[at])));

    function apply() {
      panes.forEach((pane, at) => {
        pane.element.classList.toggle("folded", folded[at]);
        pane.element.style.flexGrow = folded[at] ? 0 : wide[at];
        pane.fold.setAttribute("aria-expanded", String(!folded[at]));
      });
      const all = wide.reduce((sum, each, at) => sum + (folded[at] ? 0 : each), 0);
      dividers.forEach((divider, at) => divider.setAttribute("aria-valuenow", String(Math.round((100 * wide[at]) / all))));
    }

    // Widths by what the panes hold now, until somebody chooses others.
    function fit() {
      const open = panes.map((_, at) => at).filter((at) => !folded[at]);
      const whole = element.clientWidth;
      if (moved || !whole || !open.length) return;
      const wants = panes.map((pane) => Math.max(LEAST, pane.wants()));
      const sum = (rows) => rows.reduce((all, at) => all + wants[at], 0);
      const first = open[0] === 0 && sum(open) > whole ? Math.min(wants[0], FIRST * whole) : null;
      const rest = open.filter((at) => first === null || at > 0);
      for (const at of open) wide[at] = first !== null && at === 0 ? first : ((whole - (first ?? 0)) * wants[at]) / sum(rest);
      apply();
    }

    function fold(at, closed) {
      if (closed && folded.filter((each) => !each).length === 1) return; // one stays open
      folded[at] = closed;
      empty[at] = false;
      apply();
      fit();
    }

    // Panes without anything in them make room for the others, until somebody opens them.
    function room(nothing) {
      panes.forEach((_, at) => {
        if (nothing[at] && !folded[at]) folded[at] = empty[at] = true;
        else if (!nothing[at] && empty[at]) folded[at] = empty[at] = false;
      });
      apply();
      fit();
    }

    // -> shift(pixels) of a divider: the open panes on both sides share what they had.
    function held(at) {
      const left = folded.lastIndexOf(false, at);
      const right = folded.indexOf(false, at + 1);
      if (left < 0 || right < 0) return null;
      moved = true;
      panes.forEach((pane, each) => folded[each] || (wide[each] = pane.element.offsetWidth));
      const [one, other] = [wide[left], wide[right]];
      return (pixels) => {
        const by = Math.max(Math.min(LEAST - one, 0), Math.min(pixels, Math.max(other - LEAST, 0)));
        [wide[left], wide[right]] = [one + by, other - by];
        apply();
      };
    }

    function push(event, at) {
      const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
      if (!by) return;
      event.preventDefault();
      held(at)?.(by);
    }

    function drag(event, at) {
      const shift = held(at);
      if (!shift) return;
      event.preventDefault();
      const divider = dividers[at];
      divider.setPointerCapture(event.pointerId);
      const from = event.clientX;
      const move = (now) => shift(now.clientX - from);
      const end = () => divider.removeEventListener("pointermove", move);
      divider.addEventListener("pointermove", move);
      divider.addEventListener("pointerup", end, { once: true });
      divider.addEventListener("pointercancel", end, { once: true });
    }

    apply();
    new ResizeObserver(fit).observe(element);
    return { element, room, fit };
  }

  return layout;
})();
