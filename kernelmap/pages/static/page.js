// What a page does beside showing: light and dark, keys, and charts whose points are links.
// The same file serves the live dashboard and the pages on disk; it keeps no state but the theme.
(() => {
  "use strict";
  const THEME = "kernelmap-theme";
  const root = document.documentElement;

  const stored = () => { try { return localStorage.getItem(THEME); } catch { return null; } };
  const dark = () => (root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches);
  const choose = (theme) => {
    root.dataset.theme = theme;
    try { localStorage.setItem(THEME, theme); } catch { /* a page on disk may have no storage */ }
  };
  if (stored()) root.dataset.theme = stored();

  const KEYS = [
    ["1 … 9", "the pages at the top"],
    ["b", "choose a branch (Tab and Enter inside; Esc closes)"],
    ["/", "the first text field"],
    ["t", "light or dark"],
    ["?", "these keys"],
  ];

  function help() {
    const open = document.querySelector("dialog");
    if (open) { open.remove(); return; }
    const dialog = document.createElement("dialog");
    const title = document.createElement("h2");
    title.textContent = "Keys";
    const list = document.createElement("dl");
    for (const [key, about] of KEYS) {
      const dt = document.createElement("dt");
      const kbd = document.createElement("kbd");
      kbd.textContent = key;
      dt.append(kbd);
      const dd = document.createElement("dd");
      dd.textContent = about;
      list.append(dt, dd);
    }
    const close = document.createElement("button");
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    dialog.append(title, list, close);
    document.body.append(dialog);
    dialog.showModal();
  }

  const closeMenus = (but) => document.querySelectorAll(".menu[open]").forEach((menu) => {
    if (menu !== but) menu.open = false;
  });

  document.addEventListener("click", (event) => {
    closeMenus(event.target.closest(".menu li") ? null : event.target.closest(".menu"));
    if (event.target.closest("#theme")) choose(dark() ? "light" : "dark");
    if (event.target.closest("#keys")) help();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { closeMenus(null); return; }
    if (event.target.closest("input, textarea, select, dialog")) return;
    if (event.key === "?") help();
    else if (event.key === "t") choose(dark() ? "light" : "dark");
    else if (event.key === "/") {
      const field = document.querySelector(".form input:not([type=hidden])");
      if (field) { event.preventDefault(); field.focus(); }
    } else if (event.key === "b") {
      const menu = document.querySelector(".menu");
      if (menu) { menu.open = true; menu.querySelector("a")?.focus(); }
    } else if (/^[1-9]$/.test(event.key)) {
      document.querySelectorAll("#bar a")[Number(event.key) - 1]?.click();
    }
  });
})();
