// What hangs together with what, from the links that Python gave: pure functions of whole numbers.
kernelmap.chain = (() => {
  const KINDS = ["line", "pre", "post", "call"]; // the panes from left to right

  // links: {"call-post": [[…], …], …}; counts: {line, pre, post, call}.
  function chain(links, counts) {
    const to = Object.fromEntries(KINDS.map((kind) => [kind, {}]));
    for (const [name, lists] of Object.entries(links)) {
      const [from, into] = name.split("-");
      to[from][into] = lists;
      to[into][from] = turned(lists, counts[into]);
    }

    function linked(kind, ids, other) {
      const found = new Set();
      for (const id of ids) for (const each of to[kind][other]?.[id] ?? []) found.add(each);
      return found;
    }

    // {kind: {sure: Set, weak: Set}}: what is linked to the things `ids`. A pane without any such
    // link gets what is linked to the lit things of the others: weak, because it took a way round.
    function light(kind, ids) {
      const sure = {};
      for (const other of KINDS) sure[other] = other === kind ? new Set(ids) : linked(kind, ids, other);
      return Object.fromEntries(
        KINDS.map((other) => {
          const weak = new Set();
          if (!sure[other].size) {
            for (const way of KINDS) for (const each of linked(way, sure[way], other)) weak.add(each);
          }
          return [other, { sure: sure[other], weak }];
        }),
      );
    }

    return { light };
  }

  function turned(lists, count) {
    const back = Array.from({ length: count }, () => []);
    lists.forEach((list, from) => list.forEach((into) => back[into].push(from)));
    return back;
  }

  return Object.assign(chain, { KINDS });
})();
