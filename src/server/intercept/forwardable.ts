/** Layers of percent-encoding that a target may remove; a path with more of them is not forwarded. */
const MOST_LAYERS = 4;

/**
 * Tells whether a request target is a path (RFC 9112, 3.2.1) that stays below where it begins, however a
 * target normalises it: an encoded slash or a backslash may separate segments or be a part of one, and
 * doubled slashes may be one.
 */
export function isForwardable(requestTarget: string): boolean {
  const [path = ''] = requestTarget.split('?');
  if (!path.startsWith('/') || path.includes('#')) return false;
  let depth = 0;
  return path.split('/').every((segment) => {
    depth += levelsOf(segment);
    return depth >= 0;
  });
}

/** Levels that a segment leads down; negative if it may lead up. */
function levelsOf(segment: string): number {
  const decoded = decode(segment);
  if (decoded === null) return Number.NEGATIVE_INFINITY;
  // What follows a semicolon is a parameter, which some targets leave out.
  const parts = decoded.split(/[/\\]/).map((part) => part.replace(/;.*$/s, ''));
  const up = parts.filter((part) => part === '..').length;
  if (up > 0) return -up;
  return parts.some((part) => part !== '' && part !== '.') ? 1 : 0;
}

/** Decodes what is percent-encoded, also several times; null for more layers than are decoded. */
function decode(segment: string): string | null {
  let text = segment;
  for (let layer = 0; layer <= MOST_LAYERS; layer++) {
    const before = text;
    text = text.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    if (text === before) return text;
  }
  return null;
}
