import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

const FOLDERS = ['src', 'test', 'tools', 'bench', 'examples', 'suites', 'docs'];

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'];

const TEXT = /\.([cm]?[jt]s|css|md|php|py|ya?ml)$/;

/** Files that are built from sources, and this list itself. */
const EXCLUDED = /(^|\/)dist\/|page-assets\.ts$|words\.test\.ts$/;

/** Phrases that readers stumble over, each with words to use instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bdear\b/i, 'expensive'],
  [/\btelling\b/i, 'informative, conclusive'],
  [/\b(goes|went|gone|go) on\b/i, 'continue'],
  [/\bnone seen\b/i, 'none observed'],
  [/\bso often\b/i, 'that number of times'],
  [/\bhow.manieth\b/i, 'number, index'],
  [/\bwhat cannot be (told|said)\b/i, 'what cannot be determined'],
  [/\bby so much\b/i, 'by that amount'],
  [/\bto be had\b/i, 'available'],
  [/\bis past since\b/i, 'expired on'],
  [/\ba estimate\b/i, 'an estimate'],
  [/\bheld against\b/i, 'compared with'],
  [/\bhot path\b/i, 'fast path'],
];

/** A docstring that starts with a question word instead of a noun or a verb. */
const QUESTION = /\/\*\*\s+(\* )?(What|Whether|How|Who|Whose|Whom|Where|Why) /;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map(
    (name) => `${folder}/${name.replaceAll('\\', '/')}`,
  ),
)
  .filter((file) => TEXT.test(file) && !EXCLUDED.test(file))
  .concat(PAGES)
  .map((file) => ({ file, text: readFileSync(new URL(file, ROOT), 'utf8') }));

test.each(PHRASES)('no text says %s; write: %s', (phrase) => {
  const found = files.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, at) => (phrase.test(line) ? `${file}:${at + 1}: ${line}` : [])),
  );
  expect(found).toEqual([]);
});

test('every docstring starts with a noun or a verb', () => {
  expect(files.filter(({ text }) => QUESTION.test(text)).map(({ file }) => file)).toEqual([]);
});

/** Times of a day, which is not a ban; and a text of a template. */
const DAYS =
  /last 24 hours|24 hours after each|24 hours (are )?over|no day was over|locked for 60 min/;

test('no message states a duration of the interface in its own words: DURATION_WORDS has them', () => {
  const found = files
    .filter(({ file }) => /^src\/.*\.ts$/.test(file))
    .flatMap(({ file, text }) =>
      text
        .split('\n')
        .filter((line) => !/^\s*(\/?\*|\/\/|#)/.test(line) && !DAYS.test(line))
        .filter((line) => /\b(24 hours|10 minutes|60 minutes|ten minutes)\b/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

/** Files whose flags are those of other programs, or of a whole command for the reader to type. */
const FLAGS_OF_OTHERS =
  /(short-pauses|compare\/tool-figures|conformance\/curl|client\/certificate|check\/behaviour|init\/templates)\.ts$/;

test('no message outside src/cli names a flag: the library has none', () => {
  const isOfCommand = (file: string): boolean =>
    /^src\/(cli|documents|report\/browser)\//.test(file) || FLAGS_OF_OTHERS.test(file);
  const named = files
    .filter(({ file }) => /^src\/.*\.ts$/.test(file) && !isOfCommand(file))
    .flatMap(({ file, text }) =>
      text
        .split('\n')
        .filter((line) => /^(?!\s*(\/\/|\/?\*)).*['"`](.*[\s('"])?--[a-z]/.test(line))
        .map((line) => `${file}: ${line}`),
    );
  expect(named).toEqual([]);
});
