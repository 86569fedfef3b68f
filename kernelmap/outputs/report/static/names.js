// Names where there is no room for the whole of them: what they have in common goes first, and no two
// different names of a table look the same. The whole name stays in the page: it is what is copied,
// read aloud and said when one points at it.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const [HEAD, MIDDLE] = [0.6, 0.45]; // of the room: the beginning of a name, and the part that differs
  const BACK = 8; // letters at most from where names differ back to the beginning of the word
  const DEEP = 6; // so often is a group of equal looks taken apart
  const SPARE = 3; // pixels: letters side by side are not quite as wide as one by one
  const GAP = "…";
  const fonts = new Map(); // font -> letter -> pixels
  const pen = document.createElement("canvas").getContext("2d");

  // -> the width of a text in a font (as CSS writes it), in pixels
  function ruled(font) {
    if (!fonts.has(font)) fonts.set(font, new Map());
    const known = fonts.get(font);
    const letter = (char) => {
      if (!known.has(char)) {
        pen.font = font;
        known.set(char, pen.measureText(char).width);
      }
      return known.get(char);
    };
    return (text) => [...text].reduce((sum, char) => sum + letter(char), 0);
  }

  // How many letters stand at the beginning of all of these.
  function common(words) {
    const [first, ...rest] = words;
    let count = first.length;
    for (const word of rest) {
      let at = 0;
      while (at < count && word[at] === first[at]) at++;
      count = at;
    }
    return count;
  }

  // The letters of `word`, from `at` onwards or backwards, that have room.
  function reach(word, at, step, room, wide) {
    let left = room;
    let end = at;
    while (end >= 0 && end < word.length && (left -= wide(word[end])) >= 0) end += step;
    return end;
  }

  // -> [[from, to], …], what is shown of a word: its beginning, what is at `differs`, and its end
  function parts(word, differs, room, wide) {
    const gap = wide(GAP);
    if (differs === null) {
      const head = reach(word, 0, 1, HEAD * (room - gap), wide);
      const used = word.slice(0, head).reduce((sum, char) => sum + wide(char), 0);
      return joined([[0, head], [reach(word, word.length - 1, -1, room - gap - used, wide) + 1, word.length]]);
    }
    let from = differs;
    while (from > 0 && differs - from < BACK && /[\p{L}\p{N}]/u.test(word[from - 1])) from--;
    if (differs - from >= BACK) from = differs;
    const free = room - 2 * gap;
    const head = reach(word, 0, 1, ((1 - MIDDLE) / 2) * free, wide);
    const to = reach(word, from, 1, MIDDLE * free, wide);
    const used = [...word.slice(0, head), ...word.slice(from, to)].reduce((sum, char) => sum + wide(char), 0);
    return joined([[0, head], [from, Math.max(to, Math.min(differs + 1, word.length))], [reach(word, word.length - 1, -1, free - used, wide) + 1, word.length]]);
  }

  // Ranges that meet or overlap become one.
  function joined(ranges) {
    const made = [];
    for (const [from, to] of ranges) {
      const last = made.at(-1);
      if (last && from <= last[1]) last[1] = Math.max(last[1], to);
      else if (from < to) made.push([from, to]);
    }
    return made;
  }

  const looks = (word, ranges) => ranges.map(([from, to]) => word.slice(from, to).join("")).join(GAP);

  // names -> Map(name -> {ranges, mark}), for those that do not fit into `room` pixels; `mark` is a
  // number for what has no room to differ in its letters.
  function fit(names, room, wide) {
    const made = new Map();
    const taken = new Map(); // what is shown -> the name
    const long = [];
    for (const name of new Set(names)) {
      if (wide(name) <= room) taken.set(name, name);
      else long.push([name, [...name]]);
    }
    function settle(group, differs, depth) {
      const alike = new Map();
      for (const each of group) {
        const ranges = parts(each[1], differs, room, wide);
        const shown = looks(each[1], ranges);
        alike.set(shown, [...(alike.get(shown) ?? []), [...each, ranges]]);
      }
      for (const [shown, same] of alike) {
        if (same.length === 1 && !taken.has(shown)) {
          taken.set(shown, same[0][0]);
          made.set(same[0][0], { ranges: same[0][2], mark: null });
        } else if (same.length > 1 && depth < DEEP) {
          settle(same.map(([name, word]) => [name, word]), common(same.map(([, word]) => word)), depth + 1);
        } else same.forEach(([name, word]) => numbered(name, word, differs));
      }
    }
    function numbered(name, word, differs) {
      for (let number = 2; ; number++) {
        const mark = ` ·${number}`;
        const ranges = parts(word, differs, room - wide(mark), wide);
        const shown = looks(word, ranges) + mark;
        if (taken.has(shown)) continue;
        taken.set(shown, name);
        made.set(name, { ranges, mark });
        return;
      }
    }
    settle(long, null, 0);
    return made;
  }

  // A name as an element, whole until it is `cut`.
  function named(value, whole = value) {
    const shown = app.visible(value);
    return app.el("span", { class: "cut", title: whole }, shown);
  }

  // Show of an element of `named` only some letters: `how` is what `fit` gave, undefined for all.
  function cut(element, how) {
    const whole = element.textContent;
    if (!how) return void (element.childElementCount && element.replaceChildren(whole));
    const word = [...whole];
    const children = [];
    let at = 0;
    for (const [from, to] of [...how.ranges, [word.length, word.length]]) {
      if (from > at) children.push(app.el("i", { class: "dots" }), app.el("i", { class: "gap" }, word.slice(at, from).join("")));
      children.push(word.slice(from, to).join(""));
      at = to;
    }
    if (how.mark) children.push(app.el("i", { class: "mark", data: { mark: how.mark } }));
    element.replaceChildren(...children);
  }

  // Cut the names `spans` to what `room()` gives, now and whenever the size of `holder` changes.
  function fitted(holder, spans, room) {
    let was = null;
    new ResizeObserver(() => {
      const wide = spans.length && holder.clientWidth ? Math.max(0, Math.floor(room()) - SPARE) : null;
      if (wide === null || wide === was) return;
      was = wide;
      const how = fit(spans.map((each) => each.textContent), wide, ruled(getComputedStyle(spans[0]).font));
      for (const each of spans) cut(each, how.get(each.textContent));
    }).observe(holder);
  }

  return { ruled, fit, named, cut, fitted, SPARE_PIXELS: SPARE };
})());
