// One pane: rows of text with their time in the gutter. Only the rows in sight are elements, so a
// text of 50,000 lines scrolls like one of 50. The strip at its edge shows where heat and light are.
kernelmap.pane = (() => {
  const app = kernelmap.app;
  const HIGH = 18; // pixels of a row; provenance.css says the same
  const AROUND = 24; // rows drawn above and below those in sight
  const WIDEST = 2000; // characters of a row; longer ones are cut, and say so
  const STRIP = 12;
  const MOST_READ = 110; // characters that a pane asks room for
  const USUAL = 0.9; // of its lines are to be read whole
  const LETTER = 7.3; // pixels
  const HEADING = 0;
  const GAP = -1;

  // on: {hover(row or null), click(row), focus()}
  function pane(title, on) {
    const { el } = app;
    const name = el("h2", {}, title);
    const about = el("span", { class: "about" });
    const note = el("p", { class: "note", hidden: true });
    const caption = el("div", { class: "caption" });
    const rows = el("div", { class: "rows" });
    const space = el("div", { class: "space" }, rows);
    const scroll = el("div", { class: "scroll", tabindex: 0, "aria-label": title }, space);
    const canvas = el("canvas");
    const strip = el("div", { class: "strip", "aria-hidden": "true" }, canvas, el("div", { class: "sight" }));
    const fold = el("button", { class: "fold", type: "button", title: "Fold or unfold this pane" }, title);
    const head = el("header", {}, name, about, fold);
    const body = el("div", { class: "body" }, scroll, strip);
    const element = el("section", { class: "pane" }, head, note, caption, body);
    let shown = { lines: [], numbers: null, times: new Map(), others: null, syntax: "py", most: 0 };
    let lit = { sure: new Set(), weak: new Set(), also: new Set(), found: new Set(), at: null };
    let drawn = [0, 0];
    let columns = 6; // letters of a time
    let asked = false;
    let heated = { of: null, high: 0, most: new Map() };

    // {lines, count, numbers or null, items, times: Map(row → ns), others, sums: Map or null, syntax,
    // won: Map(row → ns of headroom) or undefined, all: ns of the graph, scale, same: whether only numbers are new}
    function show(content) {
      shown = { ...content, most: Math.max(0, ...content.times.values()) };
      const widest = shown.lines.reduce((most, line) => Math.max(most, Math.min(line.length, WIDEST)), 0);
      space.style.height = `${shown.lines.length * HIGH}px`;
      space.style.setProperty("--wide", widest);
      const times = [...shown.times.values(), ...(shown.others?.values() ?? []), ...(shown.sums?.values() ?? [])];
      columns = times.reduce((most, ns) => Math.max(most, digits(ns).length), 6);
      element.style.setProperty("--digits", columns);
      element.classList.toggle("two", shown.others !== null);
      if (!content.same) {
        lit = { sure: new Set(), weak: new Set(), also: new Set(), found: new Set(), at: null };
        scroll.scrollTop = scroll.scrollLeft = 0;
      }
      draw(true);
      paint();
    }

    // The width in pixels in which most of its lines can be read.
    function wants() {
      const written = (line) => line.length - (line.length - line.trimStart().length) / 2; // as .in of the style
      const wide = shown.lines.map(written).sort((a, b) => a - b);
      const usual = Math.min(MOST_READ, wide[Math.ceil(USUAL * (wide.length - 1))] ?? 0);
      const before = (shown.others ? 2 : 1) * (columns * LETTER + 12) + 6 * LETTER;
      return before + 16 + usual * LETTER + STRIP + 16;
    }

    function digits(ns) {
      return ns ? app.fmt.time(ns / shown.scale) : "";
    }

    function number(row) {
      if (!shown.numbers) return row < shown.count ? String(row + 1) : "";
      return shown.numbers[row] > 0 ? String(shown.numbers[row]) : "";
    }

    function code(row) {
      const line = shown.lines[row];
      const made = el("span", { class: "code" });
      if (shown.numbers?.[row] === GAP) {
        made.textContent = "⋯";
        return made;
      }
      if (shown.numbers?.[row] === HEADING) {
        made.textContent = app.visible(app.fmt.place(line));
        made.title = app.visible(line);
        return made;
      }
      const cut = line.length > WIDEST ? `${line.slice(0, WIDEST)}` : line;
      const bare = cut.trimStart();
      if (bare !== cut) made.append(el("span", { class: "in" }, cut.slice(0, cut.length - bare.length)));
      for (const [text, kind] of kernelmap.syntax.pieces(bare, shown.syntax)) {
        const part = kind ? el("span", { class: kind }, text) : document.createTextNode(app.visible(text));
        made.append(part);
      }
      if (cut !== line) made.append(el("span", { class: "cut" }, ` … ${app.fmt.number(line.length - WIDEST)} more characters`));
      return made;
    }

    function row(at) {
      const ns = shown.times.get(at) ?? 0;
      const made = el("div", { class: `row ${kinds(at)}`, data: { row: at } });
      const time = el("span", { class: "ns" }, digits(ns));
      if (ns) {
        time.style.setProperty("--share", (0.08 + 0.6 * Math.sqrt(ns / shown.most)).toFixed(3));
        time.title = `${app.fmt.time(ns / shown.scale)}, ${app.fmt.share(ns / shown.all)} of the graph`;
        const won = Math.min(ns, shown.won?.get(at) ?? 0);
        if (won) {
          time.append(el("span", { class: "won", style: { width: `${(100 * won) / ns}%` } }));
          time.title += `, headroom ${app.fmt.time(won / shown.scale)}`;
        }
      }
      const sum = shown.sums?.get(at);
      if (sum && !ns) time.append(el("span", { class: "sum", title: "all calls of this kernel" }, `Σ ${digits(sum)}`));
      made.append(time);
      if (shown.others) made.append(el("span", { class: "ns other" }, digits(shown.others.get(at) ?? 0)));
      made.append(el("span", { class: "no" }, number(at)), code(at));
      return made;
    }

    function kinds(at) {
      const mark = shown.numbers?.[at];
      return [
        mark === HEADING && "heading",
        mark === GAP && "gap",
        shown.count !== undefined && at >= shown.count && "more",
        shown.items?.has(at) && "linked",
        lit.sure.has(at) && "sure",
        lit.weak.has(at) && "weak",
        lit.also.has(at) && "also",
        lit.found.has(at) && "found",
        lit.at === at && "at",
      ]
        .filter(Boolean)
        .join(" ");
    }

    function draw(always) {
      asked = false;
      const from = Math.max(0, Math.floor(scroll.scrollTop / HIGH) - AROUND);
      const to = Math.min(shown.lines.length, Math.ceil((scroll.scrollTop + scroll.clientHeight) / HIGH) + AROUND);
      const [was, until] = drawn;
      if (!always && from >= was && to <= until && was >= from - AROUND) return;
      drawn = [from, to];
      rows.style.transform = `translateY(${from * HIGH}px)`;
      rows.replaceChildren(...Array.from({ length: to - from }, (_, at) => row(from + at)));
      sight();
    }

    function light(next) {
      lit = { ...lit, ...next };
      for (const each of rows.children) each.className = `row ${kinds(Number(each.dataset.row))}`;
      paint();
    }

    // Scroll so that `at` is in sight, if it is not; `always` puts it in the middle.
    function reveal(at, always = false) {
      const top = at * HIGH;
      const high = scroll.clientHeight;
      const inside = top >= scroll.scrollTop + HIGH && top + 2 * HIGH <= scroll.scrollTop + high;
      if (inside && !always) return;
      scroll.scrollTop = top - high / 2 + HIGH;
      draw(false);
    }

    // ---- the strip
    function paint() {
      const [wide, high] = [STRIP, body.clientHeight];
      if (!high) return;
      const ratio = devicePixelRatio || 1;
      canvas.width = wide * ratio;
      canvas.height = high * ratio;
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      const count = Math.max(shown.lines.length, Math.floor(high / HIGH));
      const y = (at) => Math.floor((at / count) * high);
      const thick = Math.max(2, high / count);
      const heat = app.color("--heat");
      for (const [at, ns] of hot(count, high)) {
        pen.fillStyle = `rgba(${heat}, ${0.2 + 0.8 * Math.sqrt(ns / shown.most)})`;
        pen.fillRect(wide - 5, at, 5, thick);
      }
      for (const [set, color] of [[lit.found, "--soft"], [lit.weak, "--rest"], [lit.sure, "--ambiguous"]]) {
        pen.fillStyle = app.color(color);
        for (const at of set) pen.fillRect(0, y(at), 5, thick);
      }
      sight();
    }

    // Pixel → the most time of a row there; the same until other rows are shown or the size changes.
    function hot(count, high) {
      if (heated.of !== shown || heated.high !== high) {
        const most = new Map();
        for (const [at, ns] of shown.times) {
          const pixel = Math.floor((at / count) * high);
          if (ns > (most.get(pixel) ?? 0)) most.set(pixel, ns);
        }
        heated = { of: shown, high, most };
      }
      return heated.most;
    }

    function sight() {
      const all = Math.max(shown.lines.length * HIGH, scroll.clientHeight);
      strip.style.setProperty("--from", `${(scroll.scrollTop / all) * 100}%`);
      strip.style.setProperty("--part", `${(scroll.clientHeight / all) * 100}%`);
    }

    function jump(event) {
      const box = strip.getBoundingClientRect();
      const count = Math.max(shown.lines.length, Math.floor(box.height / HIGH));
      reveal(Math.floor(((event.clientY - box.top) / box.height) * count), true);
    }

    // ---- what the pointer does; a page that scrolls under it is no movement
    let last = "";
    const rowOf = (event) => {
      const found = event.target.closest?.(".row");
      return found ? Number(found.dataset.row) : null;
    };
    scroll.addEventListener("pointermove", (event) => {
      const place = `${event.clientX},${event.clientY}`;
      if (place !== last) on.hover(rowOf(event));
      last = place;
    });
    scroll.addEventListener("pointerleave", () => {
      last = ""; // whoever comes back to the very same pixel has moved
      on.hover(null);
    });
    scroll.addEventListener("click", (event) => {
      const at = rowOf(event);
      if (at !== null && !String(getSelection())) on.click(at);
    });
    scroll.addEventListener("focus", on.focus);
    scroll.addEventListener("scroll", () => {
      if (!asked) requestAnimationFrame(() => (draw(false), sight()));
      asked = true;
    });
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      jump(event);
    });
    strip.addEventListener("pointermove", (event) => event.buttons && jump(event));
    new ResizeObserver(() => (draw(true), paint())).observe(body);

    return { element, name, about, note, caption, fold, scroll, show, wants, light, reveal, paint, content: () => shown, lit: () => lit };
  }

  return pane;
})();
