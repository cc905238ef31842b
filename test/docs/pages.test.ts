import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TOOL } from '../../src/app/tool.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { DEFAULT_REQUESTS } from '../../src/conformance/service/budget/parts-within.ts';
import { RULES } from '../../src/interface/index.ts';
import { BY_LUCK, FORMS_BY_SUBJECT } from '../independent-service/forms/all.ts';
import notYet from '../independent-service/forms/not-yet-detected.json' with { type: 'json' };
import { runCaptured } from '../support/captured-io.ts';
import { GUIDES, linksOf, readSteps } from './guide.ts';

const ROOT = new URL('../../', import.meta.url);

const read = (page: string): string => readFileSync(new URL(page, ROOT), 'utf8');

/** Addresses of files of this repository. */
const OF_REPOSITORY =
  /^https:\/\/(github\.com\/fareproof\/fareproof\/blob|raw\.githubusercontent\.com\/fareproof\/fareproof)\/main\//;

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('pages', () => {
  test.each(PAGES)('%s has no broken link', (page) => {
    const broken = linksOf(read(page))
      .map((address) => address.replace(OF_REPOSITORY, '/'))
      .filter((address) => !/^[a-z]+:/.test(address) && !leadsSomewhere(page, address));
    expect(broken).toEqual([]);
  });

  test.each(GUIDES)('%s is read in under ten minutes, and linked from the README', (page) => {
    const prose = read(page).replaceAll(/<!-- options of [\s\S]*?<!-- end -->/g, '');
    expect(prose.split(/[\s|]+/).length).toBeLessThan(2000);
    expect(read('README.md')).toMatch(new RegExp(`\\]\\(${page}\\)`));
  });

  test('docs/reference.md has each heading that a rule cites', () => {
    const page = read('docs/reference.md');
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    expect(RULES.map(({ section }) => section).filter((one) => !headings.includes(one))).toEqual(
      [],
    );
  });

  test.each(PAGES)('%s names no file that does not exist', (page) => {
    expect(unknownPaths(page)).toEqual([]);
  });

  test.each(PAGES)('%s uses only flags that exist', async (page) => {
    expect(await unknownFlags(page)).toEqual([]);
  });
});

test.each(COMMANDS)('CHANGELOG.md names the command $name', ({ name }) => {
  expect(read('CHANGELOG.md')).toContain(`\`${name}\``);
});

/** Numbers that a page states, with the words beside them. */
const ofService = RULES.filter(({ id }) => !id.startsWith('client/')).length - 1;
/** Ways to break a rule that no luck finds. */
const forms = Object.values(FORMS_BY_SUBJECT)
  .flatMap(Object.keys)
  .filter((form) => !BY_LUCK.test(form));
const foundBy = (mode: 'control' | 'metered'): string =>
  (forms.length - notYet.undetected[mode].length).toLocaleString('en');
const NUMBERS: readonly (readonly [page: string, words: string])[] = [
  // The other one is of the test environment.
  ['README.md', `${ofService} of ${ofService} rules judged`],
  [
    'docs/results.md',
    `of ${forms.length.toLocaleString('en')} ways it finds ${foundBy('control')} with`,
  ],
  ['docs/results.md', `and ${foundBy('metered')} with six metered partners`],
  ['docs/check.md', `${DEFAULT_REQUESTS.toLocaleString('en')} unless you set it`],
  ['README.md', `fareproof-${TOOL.version}.tgz`],
  ['docs/ci.md', `fareproof-${TOOL.version}.tgz`],
  ['docs/getting-started.md', `fareproof-${TOOL.version}.tgz`],
  ['docs/getting-started.md', `${ofService} of ${ofService} rules judged`],
];

test.each(NUMBERS)('%s says "%s"', (page, words) => {
  expect(read(page)).toContain(words);
});

test('a command is read with its line and its exit code', () => {
  const steps = readSteps('```sh\nfareproof check --no-such-flag  # exit code 2\n```\n');
  expect(steps).toMatchObject([{ kind: 'command', line: 2, exitCode: 2 }]);
});

function leadsSomewhere(page: string, address: string): boolean {
  const [path = '', anchor] = address.split('#');
  const from = path.startsWith('/') ? ROOT : new URL(page, ROOT);
  const target = path === '' ? new URL(page, ROOT) : new URL(path.replace(/^\//, ''), from);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Files of the repository, from its root, a line each. */
const LISTING = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim();
const FILES = LISTING.split('\n');

/** Folders of the repository, except the one for files of runs. */
const FOLDERS = FILES.filter((path) => /^(?!reports\/).*\//.test(path)).map((path) =>
  path.replace(/\/.*/, ''),
);

/** The sources, in which the names of all files stand that a command writes. */
const SOURCES = FILES.filter((path) => /^(src|deploy)\//.test(path))
  .map(read)
  .join('\n');

/** A path with a folder or an extension, and nothing else; `<area>` stands for any name. */
const PATH =
  /^(?:[\w.@*-]|<\w+>)+(?:\/(?:[\w.@*-]|<\w+>)*)*(?:(?<=\/.*)|(?<=\.(?:ts|mjs|js|json|jsonl|csv|md|ya?ml|txt|html|xml|log)))$/;

/**
 * Paths in backticks that are not in the repository (from its root, or the end of a path), nor, as files are that a
 * reader or a command writes, in a block of code of the page or in the sources.
 */
function unknownPaths(page: string): string[] {
  const blocks: string[] = [SOURCES];
  const prose = read(page).replaceAll(/^```[\s\S]*?^```$/gm, (block) => {
    blocks.push(block);
    return '';
  });
  const written = blocks.join('\n');
  const isKnown = (path: string): boolean => {
    const [folder = ''] = path.split('/');
    const own = new RegExp(
      `^(?:.*/)?${patternOf(path)}${path.endsWith('/') ? '' : '(/.*)?$'}`,
      'm',
    );
    if (own.test(LISTING)) return true;
    const name = path.replace(/\/$/, '').replace(/.*\//, '');
    return !FOLDERS.includes(folder) && new RegExp(patternOf(name)).test(written);
  };
  return [...prose.matchAll(/`([^`\n]+)`/g)]
    .map(([, span = '']) => span)
    .filter((span) => PATH.test(span) && !isKnown(span));
}

/** Pattern of a path, in which `<area>`, `*` and numbers stand for any name. */
function patternOf(path: string): string {
  return path.replaceAll('.', String.raw`\.`).replaceAll(/<\w+>|\*+|\d+/g, String.raw`[^/\s]+`);
}

async function unknownFlags(page: string): Promise<string[]> {
  const helps = new Map<string, string>();
  const unknown: string[] = [];
  for (const step of readSteps(read(page))) {
    if (step.kind !== 'command') continue;
    for (const [, command = '', rest = ''] of step.text.matchAll(
      /\bfareproof ([a-z]+)((?: (?!-- )(?:'[^']*'|[^|'])*)?)/g,
    )) {
      const [own = ''] = rest.split(' -- ');
      const asked = command === 'load' ? '--help-all' : '--help';
      const help = helps.get(command) ?? (await runCaptured([command, asked])).stdout;
      helps.set(command, help);
      for (const [flag] of own.matchAll(/--[a-z][a-z-]*/g)) {
        if (!new RegExp(`${flag}\\b`).test(help)) unknown.push(`${step.line}: ${command} ${flag}`);
      }
    }
  }
  return unknown;
}
