// A view that is one table, and below it what is known of the chosen row and what ran for it.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const SLOW_HELP = "A few launches hold more than half of the row's time: its mean is far above its median";
  const isKnown = (value) => value !== null && value !== undefined && value !== "";

  // columns, rows, isRest, more: as of `table`, columns without any value are left out; address(row) ->
  // {name: value} and find(params) -> row are each other's way back; head(row) -> {title, about, code,
  // note, links, facts: [[name, value], …]}; unknown(params) -> elements for an address without a row.
  function listing({ name, element, columns, rows, isRest, more, address, find, head, unknown, but }) {
    const { el, fmt } = app;
    const state = { row: null };
    const table = app.table({
      label: name, rows, isRest, more,
      choose: (row) => app.go(app.hash(name, address(row))),
      columns: columns.filter((each) => rows.some((row) => isKnown(each.value(row)))),
    });
    const card = el("section", { class: "card flush list" }, table.element);
    const detail = el("section", { class: "card detail", "aria-live": "polite" });
    card.style.setProperty("--rows", String(Math.min(rows.length, 400)));
    element.classList.add("listing");
    element.append(card, detail);

    async function draw(row) {
      state.row = row;
      table.show(row);
      const told = head(row);
      const links = [app.toTimeline(address(row)), ...told.links].filter(Boolean);
      const facts = told.facts.filter(([, value]) => isKnown(value)).flatMap(([fact, value]) => [el("dt", {}, fact), el("dd", {}, value)]);
      const lists = el("div", { class: "lists" });
      detail.replaceChildren(
        el("header", {}, el("div", {}, el("h2", {}, told.title), told.about && el("p", { class: "where" }, told.about)), el("p", { class: "links" }, ...links)),
        ...(told.code ? [el("pre", { class: "code", tabindex: "0" }, told.code)] : []),
        ...(told.note ? [el("p", { class: "soft" }, told.note)] : []),
        el("div", { class: "columns" }, el("dl", {}, ...facts), lists),
      );
      const found = await app.ran(address(row));
      if (state.row !== row) return;
      const made = found ? app.lists(found, but) : [el("p", { class: "soft" }, "A saved result does not say what ran here.")];
      lists.replaceChildren(...(made.length ? made : [el("p", { class: "soft" }, "No launch of this window is known to be of it alone.")]));
    }

    kernelmap.views[name] = {
      step(by) {
        const shown = table.shown();
        const next = shown[shown.indexOf(state.row) + by];
        if (next) app.go(app.hash(name, address(next)));
      },
      open(params) {
        const stated = app.isPlace(params);
        const row = stated ? find(params) : (state.row ?? rows.find((each) => !isRest(each)) ?? rows[0]);
        if (row) return void draw(row);
        state.row = null;
        table.show(null);
        detail.replaceChildren(...(stated ? unknown(params) : [el("p", { class: "soft" }, "Nothing ran in this window.")]));
      },
    };
  }

  return { listing, SLOW_HELP };
})());
