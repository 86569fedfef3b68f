// The memory of one graph (memory.py): its buffers, what is alive after a statement, and the bytes of
// each source line after each statement.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const LINES = 8; // source lines with a color of their own: more are hard to tell apart
  const OTHERS = "other lines";
  const RESTS = { "(inputs)": "--nothing", "(gradients)": "--mark", "(constants)": "--line", "(saved by the forward)": "--fill", "(pool, unused)": "--warn-ink", "(no line known)": "--soft" };

  const orNull = async (packed) => Array.from(await app.numbers(packed), (value) => (value ? value - 1 : null));
  const placeName = ([file, line]) => (line === null ? file : `${app.fmt.place(file)}:${line}`);

  // -> {id, at, peak, …, lines, calls, code(at), buffers}; buffers: [{name, kind, bytes, born, freed, parts: [[place, bytes]], …}]
  async function unpackedMemory(graph, kinds, texts) {
    const { steps, buffers: packed } = graph;
    const columns = ["kind", "born", "tensor", "origin", "parts", "place", "part"].map((each) => app.numbers(packed[each]));
    const missing = ["bytes", "freed", "let_go", "made_by", "last_use", "pool"].map((each) => orNull(packed[each]));
    const [kind, born, tensor, origin, parts, place, part] = await Promise.all(columns);
    const [bytes, freed, letGo, madeBy, lastUse, pool] = await Promise.all(missing);
    const [lines, calls] = await Promise.all([orNull(steps.line), orNull(steps.call)]);
    const callId = (call) => (call === null ? null : `${graph.id}/${call}`);
    let from = 0;
    const buffers = packed.name.map((each, at) => {
      const own = Array.from({ length: parts[at] }, (_, row) => [place[from + row], part[from + row]]);
      from += parts[at];
      const made = callId(madeBy[at]) ?? packed.origins[origin[at]];
      return {
        at, name: each, kind: kinds[kind[at]], bytes: bytes[at], born: born[at], freed: freed[at], letGo: letGo[at], made,
        lastUse: callId(lastUse[at]), pool: pool[at], parts: own, tensor: packed.tensors[tensor[at]], formula: packed.formula[at] ?? null,
        place: own.reduce((most, each) => (each[1] > most[1] ? each : most), own[0])[0],
      };
    });
    const text = graph.text === null ? [] : texts[graph.text].split("\n");
    return {
      ...graph, lines, buffers, count: lines.length, places: packed.places,
      calls: calls.map(callId),
      code: (at) => steps.code[at] ?? text[lines[at] - 1]?.trim() ?? "",
      about: (at) => [lines[at] === null ? null : `line ${lines[at]} of the code`, steps.function[at] && `in ${steps.function[at]}`, { branch: "in a branch", loop: "in a loop" }[steps.often[at]]].filter(Boolean).join(", "),
    };
  }

  // What is alive after a statement, most bytes first; a pool has what the buffers in it leave of it.
  function aliveAfter(memory, at) {
    const alive = memory.buffers.filter((each) => each.born <= at && (each.freed === null || at < each.freed));
    const taken = new Map();
    for (const { pool, bytes } of alive) if (pool !== null) taken.set(pool, (taken.get(pool) ?? 0) + bytes);
    return alive.map((buffer) => ({ ...buffer, own: (buffer.bytes ?? 0) - (taken.get(buffer.at) ?? 0) })).sort((a, b) => b.own - a.own);
  }

  // Per place the bytes of what is alive after a statement.
  function bytesByPlace(memory, at) {
    const sums = new Map();
    for (const { own, bytes, parts } of aliveAfter(memory, at)) {
      for (const [place, part] of parts) sums.set(place, (sums.get(place) ?? 0) + (own === bytes ? part : own));
    }
    return sums;
  }

  // -> {bands: [{title, place, address, color(), after}], total}, from the lowest band up; `after` has the
  // bytes after each statement. What has no line lies below the lines, the one with most of the peak first.
  function stackedBands(memory) {
    const { places, count } = memory;
    const atPeak = bytesByPlace(memory, memory.at);
    const isLine = (place) => places[place][1] !== null;
    const ordered = [...atPeak.keys()].filter(isLine).sort((a, b) => atPeak.get(b) - atPeak.get(a)).slice(0, LINES);
    const titles = [...Object.keys(RESTS), ...ordered, OTHERS];
    const bands = titles.map((title) => {
      const number = ordered.indexOf(title);
      const [file, line, code] = number < 0 ? [title, null, null] : places[title];
      const color = () => (number >= 0 ? app.numbered(number) : title === OTHERS ? app.color("--rest") : app.color(RESTS[title]));
      return { title: number < 0 ? title : placeName(places[title]), address: number < 0 ? null : `${file}:${line}`, code, color, after: new Float64Array(count) };
    });
    const bandOf = places.map(([file], place) => {
      const at = titles.indexOf(isLine(place) ? place : file);
      return bands[at < 0 ? titles.length - 1 : at].after;
    });
    // Changes first, each where it happens; then their sums.
    const change = (band, buffer, bytes) => {
      if (buffer.born < count) band[buffer.born] += bytes;
      if (buffer.freed !== null && buffer.freed < count) band[buffer.freed] -= bytes;
    };
    for (const buffer of memory.buffers) {
      for (const [place, part] of buffer.parts) change(bandOf[place], buffer, part);
      if (buffer.pool !== null) change(bandOf[memory.buffers[buffer.pool].place], buffer, -buffer.bytes);
    }
    const total = new Float64Array(count);
    for (const { after } of bands) {
      for (let at = 0; at < count; at++) {
        if (at) after[at] += after[at - 1];
        total[at] += after[at];
      }
    }
    return { bands: bands.filter(({ after }) => after.some((each) => each)), total };
  }

  return { memory: { unpackedMemory, aliveAfter, stackedBands, placeName } };
})());
