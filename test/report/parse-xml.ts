/** An element of a parsed XML text. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#10;': '\n',
  '&#9;': '\t',
};

/** Reads the strict part of XML that a JUnit file needs; throws on anything else. */
export function parseXml(source: string): XmlElement {
  if (/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(source)) {
    throw new Error('a character that XML forbids');
  }
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const stack = [root];
  const body = source.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, '');
  for (const token of body.match(/<[^>]*>|[^<]+|./gsu) ?? []) {
    const parent = stack.at(-1)!;
    if (!token.startsWith('<')) {
      parent.text += unescapeXml(token);
    } else if (token.startsWith('</')) {
      const open = stack.pop();
      if (token !== `</${open?.name}>`) throw new Error(`${token} closes <${open?.name}>`);
    } else {
      const element = parseTag(token);
      parent.children.push(element);
      if (!token.endsWith('/>')) stack.push(element);
    }
  }
  const [only, ...more] = root.children;
  if (stack.length !== 1 || !only || more.length > 0 || root.text.trim() !== '') {
    throw new Error('not one whole element');
  }
  return only;
}

function parseTag(tag: string): XmlElement {
  const match = /^<([a-z-]+)((?: [a-z]+="[^"<]*")*)\/?>$/.exec(tag);
  if (!match) throw new Error(`not a tag: ${tag}`);
  const [, name = '', list = ''] = match;
  const pairs = [...list.matchAll(/ ([a-z]+)="([^"]*)"/g)];
  const attributes = Object.fromEntries(
    pairs.map(([, key = '', value = '']) => [key, unescapeXml(value)]),
  );
  if (Object.keys(attributes).length !== pairs.length) throw new Error(`twice in ${tag}`);
  return { name, attributes, children: [], text: '' };
}

function unescapeXml(text: string): string {
  return text.replaceAll(/&[^;]{0,6};?/g, (entity) => {
    const character = ENTITIES[entity];
    if (character === undefined) throw new Error(`not an entity: ${entity}`);
    return character;
  });
}
