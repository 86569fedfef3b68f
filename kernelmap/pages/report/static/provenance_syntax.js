// A line of code in pieces with a class: `c` comment, `s` text, `d` the name of what is made, `t` the
// shape of a node. One line at a time, so that only what is seen costs anything; a text over several
// lines is read as code, which is what the kernels in generated code are.
kernelmap.syntax = (() => {
  const TEXT = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
  const NAME = String.raw`\b(?:def|class)\s+(\w+)`;
  const READ = {
    py: new RegExp(`(#.*$)|(${TEXT})|${NAME}`, "g"),
    cpp: new RegExp(String.raw`(\/\/.*$|^\s*#\s*\w+)|(${TEXT})|\b(?:class|struct)\s+(\w+)`, "g"),
    fx: new RegExp(String.raw`(#.*$|;  (?:\w+ = )+None.*$)|(${TEXT})|^\s*(?:def |class )?(\w+)(?=:| = |\()|(: "[^"]*")`, "g"),
  };

  // [[text, class or null], …]
  function pieces(line, syntax) {
    const found = [];
    let at = 0;
    for (const match of line.matchAll(READ[syntax])) {
      const [whole, note, text, name, shape] = match;
      const start = name === undefined ? match.index : match.index + whole.lastIndexOf(name);
      const part = note ?? text ?? name ?? shape;
      if (start > at) found.push([line.slice(at, start), null]);
      found.push([part, note !== undefined ? "c" : text !== undefined ? "s" : shape !== undefined ? "t" : "d"]);
      at = start + part.length;
    }
    if (at < line.length) found.push([line.slice(at), null]);
    return found;
  }

  return { pieces };
})();
