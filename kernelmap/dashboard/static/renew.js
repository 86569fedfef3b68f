// Keeps a served page up to date: asks for it again, soon while something on it is being worked
// out, else now and then. Only menus and sections that say something else are replaced, so an open
// menu, a sorted table and the part of a chart that a reader zoomed into stay.
// It runs before the charts are drawn: what it remembers of a section is what the server sent.
(() => {
  "use strict";
  const SOON = 700, LATER = 3000; // ms
  const MENUS = ".menus"; // they are looked at one by one
  const main = document.getElementById("page");
  const texts = new WeakMap(); // what the server sent, by element

  function remember(part) {
    texts.set(part, part.outerHTML);
    if (part.matches(MENUS)) [...part.children].forEach(remember);
  }

  // Makes the children of a place say what those of the place that was sent say.
  function renew(place, sent) {
    const gone = [...place.children];
    const now = [...sent.children].map((part) => {
      const isKept = part.matches(MENUS)
        ? (old) => old.matches(MENUS)
        : (old) => texts.get(old) === part.outerHTML;
      const at = gone.findIndex(isKept);
      if (at < 0) {
        remember(part);
        return part;
      }
      const [kept] = gone.splice(at, 1);
      if (kept.matches(MENUS)) renew(kept, part);
      return kept;
    });
    for (const old of gone) {
      keepChart(old, now);
      old.remove();
    }
    let next = place.firstElementChild;
    for (const part of now) {
      if (part === next) {
        next = next.nextElementSibling;
        continue;
      }
      place.insertBefore(part, next);
      if (part.querySelector("[data-figure]")) drawCharts(part);
    }
  }

  // A chart goes over to the section of its name, where it gets its new data.
  function keepChart(old, now) {
    const drawn = old.id && old.querySelector(".js-plotly-plot");
    const place = drawn && now.find((part) => part.id === old.id)?.querySelector("[data-figure]");
    if (!place) return;
    drawn.style.height = place.style.height;
    place.replaceWith(drawn);
  }

  async function ask() {
    const { mark } = main.dataset;
    const headers = mark ? { "If-None-Match": `"${mark}"` } : {};
    const answer = await fetch(location.href, { headers, cache: "no-store" });
    if (!answer.headers.get("Content-Type")?.startsWith("text/html")) return;
    const sent = new DOMParser().parseFromString(await answer.text(), "text/html");
    const page = sent.getElementById("page");
    if (!page) return;
    if (page.querySelector("[data-figure]") && !globalThis.drawCharts) {
      location.reload(); // the page had no chart until now, so Plotly is not here
      return;
    }
    document.title = sent.title;
    main.dataset.mark = page.dataset.mark ?? "";
    renew(main.firstElementChild, page.firstElementChild);
  }

  async function keepAsking() {
    try {
      await ask();
    } catch {
      // the server is away, or was stopped: what is here stays, and it is asked again
    }
    later();
  }
  const later = () => setTimeout(keepAsking, main.querySelector(".waiting") ? SOON : LATER);

  [...main.firstElementChild.children].forEach(remember);
  later();
})();
