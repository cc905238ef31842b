/** A source of numbers from 0 (included) to 1 (excluded). */
export type Random = () => number;

/**
 * A seeded source (sfc32, 128 bits of state): the same seed gives the same numbers on every machine.
 *
 * @param seed any finite number; `stream` sets apart sources that share a seed
 */
export function createRandom(seed: number, stream = ''): Random {
  let [a, b, c, d] = spread(`${seed}|${stream}`);
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** Four words out of a text (FNV-1a with a finishing mix), so that near seeds lie far apart. */
function spread(text: string): [number, number, number, number] {
  const word = (salt: number): number => {
    let hash = 0x811c9dc5 ^ salt;
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) | 0;
  };
  return [word(1), word(2), word(3), word(4)];
}
