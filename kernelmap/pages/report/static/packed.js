// What is compressed in the page (packed.py), inflated by the browser.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  let texts = null;
  let unfinished = 0;

  // The page says that it is busy until all that was asked for is there.
  async function inflate(packed) {
    unfinished += 1;
    document.body.ariaBusy = "true";
    try {
      return await inflated(packed);
    } finally {
      unfinished -= 1;
      if (!unfinished) document.body.ariaBusy = null;
    }
  }

  async function inflated(packed) {
    const raw = atob(packed);
    const bytes = new Uint8Array(raw.length);
    for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  const json = async (packed) => JSON.parse(new TextDecoder().decode(await inflate(packed)));

  // A column of whole numbers >= 0 as Float64Array; `signed` for those of either sign.
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

  async function signed(packed) {
    const column = await numbers(packed);
    for (let row = 0; row < column.length; row++) {
      const value = column[row];
      column[row] = value % 2 ? -(value + 1) / 2 : value / 2;
    }
    return column;
  }

  return {
    json,
    numbers,
    signed,
    // The long texts, by the numbers that Texts.put gave: a promise of an array.
    texts: () => (texts ??= json(app.data.texts)),
  };
})());
