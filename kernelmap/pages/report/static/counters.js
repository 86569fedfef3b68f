// What was sampled of GPUs, as curves under the lanes of a timeline.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;

  // -> {title, unit, time, value, low, high, held}; samples ordered by time
  async function unpackedCounter(counter) {
    const [time, level] = await Promise.all([app.signed(counter.gap), app.numbers(counter.level)]);
    for (let row = 1; row < time.length; row++) time[row] += time[row - 1];
    const step = (counter.high - counter.low) / counter.levels;
    const value = Float64Array.from(level, (each) => counter.low + each * step);
    const title = app.visible(counter.title);
    return { title, unit: app.visible(counter.unit), time, value, low: counter.low, high: counter.high, held: counter.held };
  }

  // The last sample at or before a time; -1 before the first.
  function rowAt(counter, time) {
    let [low, high] = [0, counter.time.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (counter.time[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  const digits = (value) => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 1 : 2);
  function said(value, unit) {
    const number = value.toLocaleString("en-US", { maximumFractionDigits: digits(value) });
    return unit ? `${number} ${unit === "C" ? "°C" : unit}` : number;
  }
  const range = ({ low, high, unit }) => (low === high ? said(low, unit) : `${said(low, "")} to ${said(high, unit)}`);

  // The curve between two times: what is the mean of an interval is held up to the next sample.
  function drawCounter(context, counter, { from, to, left, width, top, high }) {
    const { time, value } = counter;
    const [first, last] = [Math.max(0, rowAt(counter, from)), Math.min(time.length, rowAt(counter, to) + 2)];
    const x = (row) => left + Math.max(-1e4, Math.min(width + 1e4, ((time[row] - from) / (to - from)) * width));
    const span = counter.high - counter.low;
    const y = (row) => top + high - 2 - (span ? (value[row] - counter.low) / span : 0.5) * (high - 4);
    context.save();
    context.beginPath();
    context.rect(left, top - 2, width, high + 4);
    context.clip();
    context.strokeStyle = app.color("--line");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, top + high + 1.5);
    context.lineTo(left + width, top + high + 1.5);
    context.stroke();
    context.strokeStyle = app.color("--bar");
    context.lineWidth = 1.5;
    context.beginPath();
    for (let row = first; row < last; row++) {
      if (row === first) context.moveTo(x(row), y(row));
      else {
        if (counter.held) context.lineTo(x(row), y(row - 1));
        context.lineTo(x(row), y(row));
      }
    }
    context.stroke();
    if (last - first <= width / 8) {
      context.fillStyle = app.color("--bar");
      for (let row = first; row < last; row++) context.fillRect(x(row) - 1.5, y(row) - 1.5, 3, 3);
    }
    context.restore();
  }

  // The name beside a curve, and below it its range, or the sample under the pointer.
  function labelCounter(context, counter, { left, top, high, letters, time }) {
    context.fillStyle = app.color("--card");
    context.fillRect(0, top - 4, left, high + 8);
    context.fillStyle = app.color("--soft");
    const { title } = counter;
    context.fillText(title.length > letters ? `${title.slice(0, letters - 1)}…` : title, 14, top + high / 2 - 7);
    const row = time === null ? -1 : rowAt(counter, time);
    if (row >= 0) context.fillStyle = app.color("--ink");
    context.fillText(row < 0 ? range(counter) : said(counter.value[row], counter.unit), 14, top + high / 2 + 8);
  }

  return { counters: { unpackedCounter, drawCounter, labelCounter } };
})());
