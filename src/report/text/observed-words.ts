/** The observation of a gap in words; null if nothing was observed. */
export function observedWords(observed: unknown): string | null {
  if (observed === null || observed === undefined || observed === '') return null;
  if (typeof observed === 'string') return observed;
  if (Array.isArray(observed)) {
    return observed.length === 0 ? null : observed.map(scalarWords).join(', ');
  }
  if (typeof observed === 'object') {
    if ('words' in observed && typeof observed.words === 'string') return observed.words;
    const pairs = Object.entries(observed).map(([name, value]) => `${name}: ${scalarWords(value)}`);
    return pairs.length === 0 ? null : pairs.join(' · ');
  }
  return scalarWords(observed);
}

function scalarWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
