// Finds circles in the folders of src/. The nodes of a folder are its files and its folders, each of
// these with all that it contains.

/** @typedef {import('./read-arrows.mjs').Arrow} Arrow */

/**
 * @param {readonly Arrow[]} arrows
 * @returns {{ arrow: Arrow, circle: string }[]} the first arrow of each edge of a circle, and the
 *   names of its nodes
 */
export function folderCircles(arrows) {
  const graphs = graphsOf(arrows);
  return [...graphs].flatMap(([folder, graph]) => {
    const reached = new Map([...graph.keys()].map((name) => [name, reachedFrom(name, graph)]));
    return [...graph].flatMap(([name, nexts]) =>
      [...nexts].flatMap(([next, arrow]) => {
        if (!reached.get(next)?.has(name)) return [];
        const nodes = [...(reached.get(name) ?? [])].filter((one) => reached.get(one)?.has(name));
        return { arrow, circle: `${folder}/{${nodes.sort().join(', ')}}` };
      }),
    );
  });
}

/** @typedef {Map<string, Map<string, Arrow>>} Graph the first arrow between two nodes, by their names */

/**
 * The graph of each folder.
 *
 * @param {readonly Arrow[]} arrows
 * @returns {Map<string, Graph>}
 */
function graphsOf(arrows) {
  /** @type {Map<string, Graph>} */
  const graphs = new Map();
  for (const arrow of arrows) {
    if (arrow.to === null || arrow.isUrl) continue;
    const [from, to] = [arrow.from.split('/'), arrow.to.split('/')];
    const depth = from.findIndex((name, at) => name !== to[at]);
    if (depth < 0) continue;
    const graph = entry(graphs, from.slice(0, depth).join('/'), () => new Map());
    entry(
      entry(graph, from[depth] ?? '', () => new Map()),
      to[depth] ?? '',
      () => arrow,
    );
  }
  return graphs;
}

/**
 * @param {string} start
 * @param {Graph} graph
 */
function reachedFrom(start, graph) {
  const reached = new Set(graph.get(start)?.keys());
  for (const name of reached) {
    for (const next of graph.get(name)?.keys() ?? []) reached.add(next);
  }
  return reached;
}

/**
 * @template K, V
 * @param {Map<K, V>} map
 * @param {K} key
 * @param {() => V} make
 */
function entry(map, key, make) {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
