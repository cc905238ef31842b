import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const FILE = new URL('../../dist/index.d.ts', import.meta.url);

/**
 * A declaration: the text of its file, its place there, and the comments of the file.
 *
 * @typedef {{ text: string, start: number, end: number, comments: import('oxc-parser').Comment[] }} Declared
 */

/** @typedef {{ name: string, isType: boolean }} Exported */

/**
 * Reads a file of types, and adds its declarations by name; those that are there already stay.
 *
 * @param {URL} file
 * @param {Map<string, Declared>} declarations
 * @returns {{ exported: Exported[], shared: URL[] }} its exports, and the files that it imports
 */
function readTypes(file, declarations) {
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync('types.d.ts', text);
  /** @type {Exported[]} */
  const exported = [];
  /** @type {URL[]} */
  const shared = [];
  /** @type {(name: string, span: { start: number, end: number }) => void} */
  const add = (name, { start, end }) => {
    if (!declarations.has(name)) declarations.set(name, { text, start, end, comments });
  };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.'))
      shared.push(new URL(statement.source.value.replace(/\.js$/, '.d.ts'), file));
    const declared =
      'declaration' in statement && statement.declaration ? statement.declaration : statement;
    if ('id' in declared && declared.id && 'name' in declared.id) add(declared.id.name, statement);
    if (declared.type === 'VariableDeclaration')
      for (const { id } of declared.declarations)
        if (id.type === 'Identifier') add(id.name, statement);
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { local, exported: as, exportKind } of statement.specifiers)
      if (local.type === 'Identifier' && as.type === 'Identifier' && local.name === as.name)
        exported.push({ name: as.name, isType: exportKind === 'type' });
  }
  return { exported, shared };
}

/** Page of the library: what the package exports, with its description and its declaration. */
export function libraryPage() {
  /** @type {Map<string, Declared>} */
  const declarations = new Map();
  const { exported, shared } = readTypes(FILE, declarations);
  // What several entries share is in files of its own.
  for (const file of shared) readTypes(file, declarations);
  const section = (/** @type {{ name: string }} */ { name }) => {
    const span = declarations.get(name);
    if (span === undefined) throw new Error(`${FILE.pathname}: no declaration of ${name}`);
    const { text, comments } = span;
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
