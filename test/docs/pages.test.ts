import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RULES } from '../../src/interface/index.ts';
import { runCaptured } from '../support/captured-io.ts';
import { GUIDES, readSteps } from './guide.ts';

const ROOT = new URL('../../', import.meta.url);

const read = (page: string): string => readFileSync(new URL(page, ROOT), 'utf8');

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
    const broken = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, address = '']) => address)
      .filter((address) => !/^[a-z]+:/.test(address) && !leadsSomewhere(page, address));
    expect(broken).toEqual([]);
  });

  test.each(GUIDES)('%s is read in under ten minutes, and linked from the README', (page) => {
    expect(read(page).split(/\s+/).length).toBeLessThan(2000);
    expect(read('README.md')).toMatch(new RegExp(`\\]\\(${page}\\)`));
  });

  test('docs/interface.md has each heading that a rule cites', () => {
    const page = read('docs/interface.md');
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    expect(RULES.map(({ section }) => section).filter((one) => !headings.includes(one))).toEqual(
      [],
    );
  });

  test.each(PAGES)('%s uses only flags that exist', async (page) => {
    expect(await unknownFlags(page)).toEqual([]);
  });
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

async function unknownFlags(page: string): Promise<string[]> {
  const helps = new Map<string, string>();
  const unknown: string[] = [];
  for (const step of readSteps(read(page))) {
    if (step.kind !== 'command') continue;
    for (const [, command = '', rest = ''] of step.text.matchAll(
      /\bfareproof ([a-z]+)((?: (?!-- )(?:'[^']*'|[^|'])*)?)/g,
    )) {
      const [own = ''] = rest.split(' -- ');
      const help = helps.get(command) ?? (await runCaptured([command, '--help'])).stdout;
      helps.set(command, help);
      for (const [flag] of own.matchAll(/--[a-z][a-z-]*/g)) {
        if (!new RegExp(`${flag}\\b`).test(help)) unknown.push(`${step.line}: ${command} ${flag}`);
      }
    }
  }
  return unknown;
}
