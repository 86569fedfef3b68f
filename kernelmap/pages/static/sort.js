// A click on a heading sorts its table: figures largest first, texts from A; again turns it round,
// and a third one brings back the order of the page. Rows without a value stay last, and so does
// the row that stands for those that are left out.
(() => {
  "use strict";
  const NS = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 };
  const FIGURE = /^([<>]?)([+-]?)([\d,]*\.?\d+)(?:\.\.[+-]?[\d,]*\.?\d+)?\s*(ns|µs|ms|s|x)?(?![\w])(?:\s*(slower|faster))?/;
  const text = new Intl.Collator("en", { numeric: true });
  const orders = new WeakMap(); // the rows of a table as they came

  // The number that a text of text.py stands for: "1.20 ms" is 1,200,000; null where it is none.
  function figure(shown) {
    const found = FIGURE.exec(shown);
    if (!found) return null;
    const [, bound, sign, digits, unit, speed] = found;
    let value = Number(digits.replaceAll(",", "")) * (NS[unit] ?? 1);
    if (speed === "faster" && value) value = 1 / value;
    if (bound) value *= bound === "<" ? 0.5 : 1.0001;
    return sign === "-" ? -value : value;
  }

  function sort(heading) {
    const table = heading.closest("table");
    const body = table.tBodies[0];
    const figures = heading.classList.contains("number");
    const [first, second] = figures ? ["descending", "ascending"] : ["ascending", "descending"];
    const was = heading.getAttribute("aria-sort");
    const now = was === null ? first : was === first ? second : null;
    if (!orders.has(body)) orders.set(body, [...body.rows]);
    const rows = orders.get(body).filter((row) => !row.classList.contains("rest"));
    if (now !== null) {
      const of = (row) => {
        const shown = row.cells[heading.cellIndex].textContent.trim();
        return figures ? figure(shown) : shown || null;
      };
      const values = new Map(rows.map((row) => [row, of(row)]));
      const turn = now === "descending" ? -1 : 1;
      rows.sort((one, other) => {
        const [a, b] = [values.get(one), values.get(other)];
        if (a === null || b === null) return (a === null) - (b === null);
        return turn * (figures ? a - b : text.compare(a, b));
      });
    }
    body.append(...rows, ...orders.get(body).filter((row) => row.classList.contains("rest")));
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    if (now !== null) heading.setAttribute("aria-sort", now);
  }

  document.addEventListener("click", (event) => {
    const heading = event.target.closest("table.sorts thead th:has(button)");
    if (heading && event.target.closest("button")) sort(heading);
  });
})();
