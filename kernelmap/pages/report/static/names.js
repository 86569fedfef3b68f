// Names where there is no room for the whole of them: what they have in common goes first, and no two
// different names of a table look the same. The whole name stays in the page: it is what is copied,
// read aloud and said when one points at it.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const [HEAD, MIDDLE, MIDDLES] = [0.6, 0.45, 0.7]; // of the room: the beginning of a name; the part, or parts, that differ
  const BACK = 8; // letters at most from where names differ back to the beginning of the word
  const LONGEST_END = 0.8; // of the room: with more a name has no beginning to know it by
  const END_BACK = 10; // the same of a name's end: `…backward.default` is read, `…rd.default` is not
  const WINDOWS = 3; // parts of a name that are shown between its beginning and its end
  const SPARE = 3; // pixels: letters side by side are not quite as wide as one by one
  const GAP = "…";
  const fonts = new Map(); // font -> letter -> pixels
  const pen = document.createElement("canvas").getContext("2d");

  // -> the width of a text in a font (as CSS writes it), in pixels
  function ruled(font) {
    if (!fonts.has(font)) fonts.set(font, new Map());
    const known = fonts.get(font);
    const letter = (char) => {
      let width = known.get(char);
      if (width === undefined) {
        pen.font = font;
        known.set(char, (width = pen.measureText(char).width));
      }
      return width;
    };
    return (text) => {
      let sum = 0;
      for (const char of text) sum += letter(char);
      return sum;
    };
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

  // -> [[from, to], …], what is shown of a word: its beginning, what stands at each of `differs`, its end
  function parts(word, differs, room, wide) {
    const width = (from, to) => word.slice(from, to).reduce((sum, char) => sum + wide(char), 0);
    const free = room - (differs.length + 1) * wide(GAP);
    if (!differs.length) {
      const end = beginning(word, reach(word, word.length - 1, -1, (1 - HEAD) * free, wide) + 1, END_BACK);
      const head = reach(word, 0, 1, free - width(end, word.length), wide);
      if (width(end, word.length) < LONGEST_END * room) return joined([[0, head], [end, word.length]]);
    }
    const middle = differs.length > 1 ? MIDDLES : MIDDLE;
    const head = reach(word, 0, 1, (differs.length ? (1 - middle) / 2 : HEAD) * free, wide);
    const windows = differs.map((at) => {
      const from = beginning(word, at, BACK / differs.length);
      return [from, Math.max(reach(word, from, 1, (middle * free) / differs.length, wide), at + 1)];
    });
    const used = [[0, head], ...windows].reduce((sum, [from, to]) => sum + width(from, to), 0);
    return joined([[0, head], ...windows, [reach(word, word.length - 1, -1, free - used, wide) + 1, word.length]]);
  }

  // Where the word that a letter is in begins, if that is near.
  function beginning(word, at, near) {
    let from = Math.min(at, word.length);
    while (from > 0 && at - from < near && /[\p{L}\p{N}]/u.test(word[from - 1])) from--;
    return at - from < near ? from : at;
  }

  // Ranges that meet or overlap become one.
  function joined(ranges) {
    const made = [];
    for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
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
    const alike = new Map();
    for (const each of long) {
      const ranges = parts(each[1], [], room, wide);
      const shown = looks(each[1], ranges);
      if (!alike.has(shown)) alike.set(shown, []);
      alike.get(shown).push([...each, ranges]);
    }
    const rest = [];
    for (const [shown, same] of alike) {
      if (same.length > 1 || taken.has(shown)) rest.push(...same);
      else {
        taken.set(shown, same[0][0]);
        made.set(same[0][0], { ranges: same[0][2], mark: null });
      }
    }
    // So much of a name's beginning is always shown: what differs there needs no part of its own.
    const head = ((1 - MIDDLES) / 2) * room;
    branch(rest, []);

    // Names that differ at the same letters first, down to each alone; `differs` has these letters.
    function branch(group, differs) {
      if (!group.length) return;
      if (group.length === 1) return settle(group[0][0], group[0][1], differs);
      const at = common(group.map(([, word]) => word));
      const branches = new Map();
      for (const each of group) {
        const letter = each[1][at];
        if (!branches.has(letter)) branches.set(letter, []);
        branches.get(letter).push(each);
      }
      const begun = at < group[0][1].length && wide(group[0][1].slice(0, at + 1).join("")) <= head;
      for (const own of branches.values()) branch(own, begun ? [] : [...differs, at]);
    }

    function settle(name, word, differs) {
      const last = differs.slice(-WINDOWS);
      const ranges = parts(word, last, room, wide);
      const shown = looks(word, ranges);
      if (taken.has(shown)) return numbered(name, word, last);
      taken.set(shown, name);
      made.set(name, { ranges, mark: null });
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

  // Cut the names `spans` to so many pixels.
  function cutAll(spans, room) {
    if (!spans.length || !(room > SPARE)) return;
    const how = fit(spans.map((each) => each.textContent), room - SPARE, ruled(getComputedStyle(spans[0]).font));
    for (const each of spans) cut(each, how.get(each.textContent));
  }

  // The same for what `room()` gives, now and whenever the size of `holder` changes.
  function fitted(holder, spans, room) {
    let was = null;
    new ResizeObserver(() => {
      const wide = spans.length && holder.clientWidth ? Math.max(1, Math.floor(room())) : null;
      if (wide === null || wide === was) return;
      was = wide;
      cutAll(spans, wide);
    }).observe(holder);
  }

  return { ruled, fit, named, cut, cutAll, fitted };
})());
