/** Suggests up to three names similar to a mistyped one, nearest first; `otherwise` if none is. */
export function suggest(typed: string, names: readonly string[], otherwise: string): string {
  const bound = Math.max(2, Math.floor(typed.length / 3));
  const near = names
    .map((name) => ({ name, distance: editDistance(typed, name) }))
    .filter(({ name, distance }) => distance <= bound || name.includes(typed))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : otherwise;
}

/** Levenshtein distance, computed row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + same));
    }
    row = next;
  }
  return row[b.length]!;
}
