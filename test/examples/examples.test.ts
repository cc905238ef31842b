// @module-tag long
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { parseDocument } from '../../src/documents/run-document.ts';
import { CLIENT_RULES } from '../../src/interface/catalogue.ts';
import { Reader } from '../docs/reader.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PAGE = readFileSync(new URL('../../examples/README.md', import.meta.url), 'utf8');

/** The clients as the page lists them: language, what it needs, and the command in a project with the package. */
const EXAMPLES = [...PAGE.matchAll(/^\| (\w+) +\| ([^|]+) \| `(.* certify .*)` +\|$/gm)].map(
  ([, language = '', needs = '', command = '']) => ({ language, needs, command }),
);

/** Command that shows that a language is there. */
const PROBES: Readonly<Record<string, readonly [string, string]>> = {
  TypeScript: [process.execPath, '--version'],
  Python: ['python3', '--version'],
  PHP: ['php', '--version'],
  Go: ['go', 'version'],
  Java: ['javac', '-version'],
};

it('are those of the page', ({ expect }) => {
  expect(EXAMPLES.map(({ language }) => language)).toEqual(Object.keys(PROBES));
});

describe('the example in', () => {
  it.for(EXAMPLES)(
    '$language is conformant',
    async ({ language, needs, command }, { expect, skip }) => {
      const [program = '', flag = ''] = PROBES[language] ?? [];
      skip(spawnSync(program, [flag]).status !== 0, `${program} is not installed`);
      const folder = temporaryFolder();
      const reader = await Reader.begin(folder);
      reader.write({ kind: 'file', name: 'package.json', text: '{ "type": "module" }' });
      const packages = needs.split(/, ?/).map((name) => name.trim());
      const install = language === 'TypeScript' ? `npm install ${packages.join(' ')} && ` : '';
      const judged = command.replace(' -- ', ' --strict --out run -- ');
      const text = `${install}cp -R node_modules/fareproof/examples . && ${judged}`;
      const { exitCode, output } = await reader.type({ text });
      expect(exitCode, output).toBe(0);
      const document = parseDocument(
        JSON.parse(readFileSync(join(folder, 'run/run.json'), 'utf8')),
      );
      const rules = document.kind === 'conformance' ? document.rules : [];
      const notPassed = rules.filter(({ verdict }) => verdict !== 'pass');
      expect(notPassed.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
      expect(rules).toHaveLength(CLIENT_RULES.length);
    },
  );
});
