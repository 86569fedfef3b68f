// The lanes of a timeline: columns unpacked, what is in sight found, and drawn on a canvas.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const sums = (column) => {
    for (let row = 1; row < column.length; row++) column[row] += column[row - 1];
    return column;
  };

  // -> {title, start, dur, busy, count, key, launch, invocation, longest}; bars ordered by start
  async function unpackedLane(lane, usual) {
    const key = Int32Array.from(await app.numbers(lane.key));
    const [start, dur, launch, invocation] = await Promise.all(
      ["gap", "dur", "launch", "invocation"].map((name) => app.signed(lane[name])),
    );
    let [end, longest] = [0, 0];
    for (let row = 0; row < key.length; row++) {
      dur[row] += usual[key[row]];
      start[row] += end;
      end = start[row] + dur[row];
      if (dur[row] > longest) longest = dur[row];
    }
    const count = lane.count && (await app.numbers(lane.count));
    const busy = lane.busy ? await app.numbers(lane.busy) : dur;
    return { title: app.visible(lane.title), start, dur, key, count, busy, longest, launch: sums(launch), invocation: sums(invocation) };
  }

  // The first row whose value is not below `wanted`.
  function lowerBound(column, wanted) {
    let [low, high] = [0, column.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Rows [first, last) that may show between two times.
  const within = (lane, from, to) => [lowerBound(lane.start, from - lane.longest), lowerBound(lane.start, to)];

  const MOST_EVENTS = 500000;

  // What is in sight as events of a Chrome trace, the steps on a track of their own; null where they are too many.
  function events(lanes, from, to, kinds, steps) {
    const seen = lanes.map((lane) => within(lane, from, to));
    if (seen.reduce((sum, [first, last]) => sum + last - first, 0) > MOST_EVENTS) return null;
    const track = (tid, name) => ({ ph: "M", name: "thread_name", pid: 1, tid, args: { name } });
    const bar = (tid, name, start, dur, args) => ({ ph: "X", name, pid: 1, tid, ts: start / 1000, dur: dur / 1000, args });
    const made = [{ ph: "M", name: "process_name", pid: 1, args: { name: "kernelmap" } }];
    if (steps.length) made.push(track(0, "steps"), ...steps.filter(([, start, end]) => end > from && start < to).map(([number, start, end]) => bar(0, `step ${number}`, start, end - start, {})));
    lanes.forEach((lane, at) => {
      made.push(track(at + 1, lane.title));
      for (let row = seen[at][0]; row < seen[at][1]; row++) made.push(bar(at + 1, kinds.title(lane.key[row]), lane.start[row], lane.dur[row], { ...kinds.known(lane.key[row]), launch: lane.launch[row] }));
    });
    return made;
  }

  // Time per key, per lane and in all, launches per key, between two times (bars are cut).
  // `only` marks the keys that count; null: all do.
  function inSight(lanes, from, to, keys, only) {
    const [time, launches] = [new Float64Array(keys), new Float64Array(keys)];
    let total = 0;
    const busy = lanes.map((lane) => {
      let own = 0;
      const [first, last] = within(lane, from, to);
      for (let row = first; row < last; row++) {
        if (only && !only[lane.key[row]]) continue;
        const [start, dur] = [lane.start[row], lane.dur[row]];
        const cut = Math.min(start + dur, to) - Math.max(start, from);
        if (cut <= 0) continue;
        const part = dur ? (lane.busy[row] * cut) / dur : 0;
        time[lane.key[row]] += part;
        launches[lane.key[row]] += lane.count ? lane.count[row] : 1;
        own += part;
      }
      total += own;
      return own;
    });
    return { time, launches, total, busy };
  }

  let room = new Float64Array(0);
  const scratch = (size) => (room.length < size ? (room = new Float64Array(size)) : room);

  // Bars that are wider than a pixel as they are; of what shares a pixel, the key with the most time,
  // the paler the more of the pixel is idle. Keys that `only` does not mark are `faint`, below the others.
  function drawLane(context, lane, { from, to, left, width, top, high, colors, label, ink, only, faint }) {
    const scale = width / (to - from);
    const [first, last] = within(lane, from, to);
    const { key: keys, start, dur, busy } = lane;
    const [sum, seen, wide] = [scratch(colors.length), [], []];
    let [at, all] = [-1, 0];

    function flush() {
      let best = seen[0];
      for (const key of seen) if (sum[key] > sum[best]) best = key;
      context.globalAlpha = 0.3 + 0.7 * Math.min(1, all * scale);
      context.fillStyle = colors[best];
      context.fillRect(left + at, top, 1, high);
      for (const key of seen) sum[key] = 0;
      seen.length = 0;
      all = 0;
    }

    for (let row = first; row < last; row++) {
      const x = (start[row] - from) * scale;
      const span = dur[row] * scale;
      if (x + span < 0) continue;
      if (only && !only[keys[row]]) {
        context.fillStyle = faint;
        context.fillRect(left + Math.max(0, x), top, Math.max(1, Math.min(width, x + span) - Math.max(0, x) - (span > 3 ? 0.6 : 0)), high);
        continue;
      }
      if (span >= 1.5) {
        wide.push(row);
        continue;
      }
      const pixel = x < 0 ? 0 : x | 0;
      if (pixel !== at) {
        if (seen.length) flush();
        at = pixel;
      }
      const key = keys[row];
      if (!sum[key]) seen.push(key);
      sum[key] += busy[row] || 1;
      all += busy[row];
    }
    if (seen.length) flush();
    context.globalAlpha = 1;
    for (const row of wide) {
      const x = Math.max(0, (lane.start[row] - from) * scale);
      const end = Math.min(width, (lane.start[row] + lane.dur[row] - from) * scale);
      if (lane.count) context.globalAlpha = 0.3 + (0.7 * lane.busy[row]) / (lane.dur[row] || 1);
      context.fillStyle = colors[lane.key[row]];
      context.fillRect(left + x, top, Math.max(1, end - x - (end - x > 3 ? 0.6 : 0)), high);
      context.globalAlpha = 1;
      const letters = Math.floor((end - x - 8) / 6.3);
      if (letters < 6) continue;
      const half = (letters - 1) >> 1;
      const text = label(lane.key[row]);
      context.fillStyle = colors[lane.key[row]].length > 7 ? ink : "#fff"; // on pale bars
      context.fillText(text.length > letters ? `${text.slice(0, letters - 1 - half)}…${text.slice(-half)}` : text, left + x + 4, top + high / 2);
    }
  }

  // The bar at a time, or the nearest within `slack`; -1 for none.
  function barAt(lane, time, slack) {
    const [first, last] = within(lane, time - slack, time + slack);
    let [best, distance] = [-1, Infinity];
    for (let row = first; row < last; row++) {
      const away = Math.max(lane.start[row] - time, time - lane.start[row] - lane.dur[row], 0);
      if (away <= slack && (away < distance || (away === distance && lane.dur[row] < lane.dur[best]))) [best, distance] = [row, away];
    }
    return best;
  }

  // How many launches begin between two times.
  function countIn(lane, from, to) {
    const [first, last] = [lowerBound(lane.start, from), lowerBound(lane.start, to)];
    if (!lane.count) return last - first;
    let sum = 0;
    for (let row = first; row < last; row++) sum += lane.count[row];
    return sum;
  }

  return { lanes: { events, unpackedLane, inSight, drawLane, barAt, countIn } };
})());
