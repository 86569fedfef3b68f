// Elements from data: whatever comes from a trace becomes text, never markup. Links lead to places
// in this page only (editor.js has the ways out). What would turn the writing round or move a cursor is shown as an escape.
Object.assign(kernelmap.app, (() => {
  const MOVES = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
  const SVG = new Set(["svg", "g", "path", "rect", "line", "text", "title", "circle"]);

  function visible(text) {
    return String(text ?? "").replace(MOVES, (char) => {
      const code = char.codePointAt(0).toString(16);
      return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
    });
  }

  function text(element, value) {
    element.textContent = visible(value);
    return element;
  }

  // el("button", {class: "wide", onclick: run, "aria-label": "…"}, "text", child, null)
  function el(tag, attributes = {}, ...children) {
    const made = SVG.has(tag)
      ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "style") for (const [key, each] of Object.entries(value)) made.style.setProperty(key, each);
      else if (name === "data") Object.assign(made.dataset, value);
      else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (name === "href" && !String(value).startsWith("#")) throw new Error("a link leads out");
      else made.setAttribute(name, value === true ? "" : visible(value));
    }
    for (const child of children.flat()) {
      if (child === null || child === undefined || child === false) continue;
      made.append(child instanceof Node ? child : visible(child));
    }
    return made;
  }

  // A small box beside the pointer; `show(event, ...children)`, `hide()`.
  const tip = (() => {
    let box = null;
    const hide = () => box && (box.hidden = true);
    function show(event, ...children) {
      box ??= document.body.appendChild(el("div", { id: "tip", role: "tooltip" }));
      box.replaceChildren(...children);
      box.hidden = false;
      const [wide, high] = [box.offsetWidth, box.offsetHeight];
      const left = event.clientX + 16 + wide > innerWidth ? event.clientX - 12 - wide : event.clientX + 16;
      const top = event.clientY + 18 + high > innerHeight ? event.clientY - 10 - high : event.clientY + 18;
      box.style.left = `${Math.max(4, left)}px`;
      box.style.top = `${Math.max(4, top)}px`;
    }
    return { show, hide };
  })();

  return { visible, text, el, tip };
})());
