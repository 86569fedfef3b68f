// How times, shares and numbers are written: as in every other output of kernelmap.
kernelmap.app.fmt = (() => {
  function time(ns) {
    if (ns === null || ns === undefined) return "";
    for (const [scale, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
      const value = ns / scale;
      if (value >= 0.99995) {
        const [whole, part] = value.toFixed(value < 99.995 ? 2 : 1).split(".");
        return `${Number(whole).toLocaleString("en-US")}.${part} ${unit}`;
      }
    }
    return `${Math.round(ns)} ns`;
  }

  function share(value) {
    if (value === null || value === undefined) return "";
    let text = (value * 100).toFixed(1);
    if (text === "0.0" && value > 0) text = "<0.1";
    if (text === "100.0" && value < 1) text = ">99.9";
    return `${text} %`;
  }

  const number = (value) => (value === null || value === undefined ? "" : value.toLocaleString("en-US"));

  function count(value, noun) {
    const plural = /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
    return `${number(value)} ${value === 1 ? noun : plural}`;
  }

  // /home/me/model.py:7 -> model.py:7
  // `model.py:17` of a whole path; of `in forward (/home/me/model.py:12)` the function stays.
  const place = (path) => {
    const [, func, file] = /^(in .* \()?(.*)$/s.exec(path === null ? "" : String(path).replace(/\\/g, "/"));
    return (func ?? "") + file.split("/").pop();
  };

  // What a few slow launches hold of a row: "1 of 4: 2.66 ms".
  const slow = (few, launches, ns) => (few ? `${number(few)} of ${number(launches)}: ${time(ns)}` : null);

  function amount(bytes) {
    const [scale, unit] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([each]) => bytes >= each) ?? [1, "B"];
    return bytes === null ? "" : `${(bytes / scale).toLocaleString("en-US", { maximumSignificantDigits: 3 })} ${unit}`;
  }

  // The unit in which rates up to this one read well: the factor, and its name (pages/text.py: rate_unit).
  function rateUnit(largest, unit) {
    const prefixes = "TGMk".slice("TGMk".indexOf(unit[0]));
    let at = 0;
    while (largest && largest * 1000 ** at < 0.9995 && at < prefixes.length - 1) at += 1;
    return [1000 ** at, prefixes[at] + unit.slice(1)];
  }

  // GB/s and TFLOP/s: as many digits as are needed to compare.
  function rate(value) {
    if (value === null || value === undefined) return "";
    if (value > 0 && value < 0.005) return "<0.01";
    const digits = value >= 100 ? 0 : value >= 1 ? 1 : 2;
    return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  return { time, rate, rateUnit, amount, share, number, count, place, slow };
})();
