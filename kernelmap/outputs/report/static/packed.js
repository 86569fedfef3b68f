// What is compressed in the page (packed.py), inflated by the browser; and Plotly, run when a view
// first draws with it: its four megabytes would hold up everything else.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  let texts = null;

  async function inflate(packed) {
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // A column of whole numbers, Float64Array.
  async function numbers({ count, bytes, packed }) {
    const column = new Float64Array(count);
    if (!bytes || !count) return column;
    const planes = await inflate(packed);
    for (let plane = bytes - 1; plane >= 0; plane--) {
      const from = plane * count;
      for (let row = 0; row < count; row++) column[row] = column[row] * 256 + planes[from + row];
    }
    return column;
  }

  return {
    numbers,
    // The long texts, by the numbers that Texts.put gave: a promise of an array.
    texts: () => (texts ??= inflate(app.data.texts).then((raw) => JSON.parse(new TextDecoder().decode(raw)))),
    plotly() {
      const held = document.getElementById("plotly");
      if (held.type === "text/plain") {
        const script = document.createElement("script");
        script.id = "plotly";
        script.textContent = held.textContent; // the very text whose hash the policy allows
        held.replaceWith(script);
      }
      return Plotly;
    },
  };
})());
