// Why calls are slow: a reason with what it could save, its evidence and its calls.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;

  function reason(each) {
    const { el, fmt } = app;
    const overlap = each.overlap_ns ? `, ${fmt.time(each.overlap_ns)} more counted above` : "";
    const saves = each.saves_ns === null ? "limits are not known" : `at most ${fmt.time(each.saves_ns)}${overlap}`;
    const links = each.calls.flatMap((call, at) => [at ? ", " : "", el("a", { href: app.hash(null, { call }) }, call)]);
    return el(
      "li",
      {},
      el("p", { class: "size" }, `${each.slug} · ${saves}${each.bytes === null ? "" : ` · ${fmt.amount(each.bytes)}`}`),
      el("p", {}, each.evidence),
      el("p", { class: "soft" }, ...links),
    );
  }

  return { reason };
})());
