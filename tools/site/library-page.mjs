import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const FILE = new URL('../../dist/index.d.ts', import.meta.url);

/** @typedef {{ start: number, end: number }} Span */

/** Page of the library: what the package exports, with its description and its declaration. */
export function libraryPage() {
  const text = readFileSync(FILE, 'utf8');
  const { program, comments } = parseSync('index.d.ts', text);
  /** @type {Map<string, Span>} */
  const declarations = new Map();
  /** @type {{ name: string, isType: boolean }[]} */
  const exported = [];
  for (const statement of program.body) {
    const declared =
      'declaration' in statement && statement.declaration ? statement.declaration : statement;
    if ('id' in declared && declared.id && 'name' in declared.id)
      declarations.set(declared.id.name, statement);
    if (declared.type === 'VariableDeclaration')
      for (const { id } of declared.declarations)
        if (id.type === 'Identifier') declarations.set(id.name, statement);
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { local, exported: as, exportKind } of statement.specifiers)
      if (local.type === 'Identifier' && as.type === 'Identifier' && local.name === as.name)
        exported.push({ name: as.name, isType: exportKind === 'type' });
  }
  const section = (/** @type {{ name: string }} */ { name }) => {
    const span = declarations.get(name);
    if (span === undefined) throw new Error(`${FILE.pathname}: no declaration of ${name}`);
    const before = comments.findLast(
      ({ type, value, end }) =>
        type === 'Block' &&
        value.startsWith('*') &&
        end <= span.start &&
        text.slice(end, span.start).trim() === '',
    );
    const code = text.slice(span.start, span.end).replace(/^export /, '');
    return [
      `### ${name}`,
      describe(before?.value ?? ''),
      `\`\`\`\`ts\n${code.length > LONGEST ? `${code.slice(0, code.indexOf('\n'))}\n  // …` : code}\n\`\`\`\``,
    ];
  };
  return [
    '# Library',
    "`import { … } from 'fareproof'`. Versions follow Semantic Versioning.",
    '## Functions and values',
    ...exported.filter(({ isType }) => !isType).flatMap(section),
    '## Types',
    ...exported.filter(({ isType }) => isType).flatMap(section),
  ].join('\n\n');
}

/** Longest declaration that is shown whole, characters: longer ones are shapes inferred from a schema. */
const LONGEST = 6000;

/** @param {string} comment */
function describe(comment) {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*+ ?/, ''))
    .join('\n')
    .replaceAll(/\{@link (\S+?)\}/g, '`$1`')
    .replaceAll(/^@(param|returns|throws|typedef)/gm, '\n*$1*')
    .trim();
}
