import fc from 'fast-check';
import type { RunDocument } from '../../../src/documents/run-document.ts';

/** Texts that a target or client could send to a reader's browser, build server or terminal. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>window.hit = 1</script>',
  '</script><script>window.hit = 1</script>',
  '</style><img src=x onerror="window.hit = 1">',
  '" onmouseover="window.hit = 1" x="',
  "' autofocus onfocus='window.hit = 1",
  '<svg/onload=window.hit=1>',
  '<a href="javascript:window.hit=1">x</a>',
  '<iframe srcdoc="<script>parent.hit=1</script>"></iframe>',
  '--><!--<![CDATA[ ]]>',
  ']]></failure><failure>',
  '&lt;script&gt; &#60; &amp;',
  'safe \u202e txt.exe \u2066 \u200f \u061c',
  '\u001b[2J\u001b]0;title\u0007\u001b]8;;http://example.test\u0007\r\b\u0000\u009b31m',
  '\ud800 lone \udfff surrogates \ufffe \uffff',
  '| pipe ` tick `` ticks **bold** [link](http://example.test) ![x](http://example.test/y)',
  '\n\n# heading\n\n```\nfence\n```\n- item\n<details>\n@everyone http://example.test',
  '::error title=x::y\n::set-output name=a::b\r\n%0A%25',
  'x\n  ::add-mask::y\n##[error]z\n\t:::stop',
  '{{7*7}} ${7*7} <%= 7 %> {%raw%}',
];

/** Any text, with a liking for the characters that mean something somewhere. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...'<>&"\'`|\\/!-=[]{}()*_#@:;%~$^+. \t\n\r\u0000\u001b\u007f\u0085\u009b\u200b\u2028\u202e\u2066\ufeff\ud83d\udd12x'.split(
          '',
        ),
        ...HOSTILE_TEXTS,
      ),
      { minLength: 1, maxLength: 20 },
    )
    .map((parts) => parts.join('').slice(0, 150)),
);

/** Fields that are read by the program and not only by people. */
const STRUCTURE = new Set([
  'schemaVersion',
  'kind',
  'side',
  'verdict',
  'before',
  'after',
  'level',
  'clock',
  'model',
  'unit',
  'comparison',
  'id',
  'exchanges',
  'startedAt',
  'finishedAt',
  'at',
  'histograms',
  // Words of the catalogue, in which backticks mark code.
  'statement',
  'question',
]);

/**
 * The document with the text in every place that is for people alone, names of partners, headers,
 * statuses and errors included.
 */
export function withText<T extends RunDocument>(document: T, text: string): T {
  return replaced(document, text) as T;
}

function replaced(value: unknown, text: string): unknown {
  if (typeof value === 'string') return `${value} ${text}.`;
  if (Array.isArray(value)) return value.map((item) => replaced(item, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === 'exchanges' && Array.isArray(item) && typeof item[0] === 'object') {
        return [key, replaced(item, text)];
      }
      if (STRUCTURE.has(key)) return [key, item];
      if (['headers', 'statuses', 'errors', 'spend', 'observed'].includes(key)) {
        return [key, withTextInKeys(item, text)];
      }
      return [key, replaced(item, text)];
    }),
  );
}

function withTextInKeys(value: unknown, text: string): unknown {
  if (value === null || typeof value !== 'object') return replaced(value, text);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [`${key} ${text}`, replaced(item, text)]),
  );
}
