// Writes out the types that declarations infer from schemas and tables: readers see fields instead of zod's
// classes, a compiler needs no zod, and the types of the package are half as long. A type within another one is
// named where it has a name. Leaves out what is for the command alone (`@internal`), and the types of it.

import { dirname, relative, resolve } from 'node:path';
import ts from 'typescript-5';

/** A type that is inferred from a value, such as `DocumentOf<typeof exchangeSchema>`. */
const INFERRED = /\b(typeof|keyof)\b/;

const FORMAT =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.MultilineObjectLiterals;

/** @typedef {{ start: number, end: number, words: string }} Edit a span, and what comes in its place */

/** Length from which a type within another one is named, not written out again; a shorter one reads as well. */
const NAMED_FROM = 80;

/**
 * A type alias with the words that it stands for.
 *
 * @typedef {object} Alias
 * @property {string} file
 * @property {string} name
 * @property {boolean} isExported
 * @property {ts.TypeNode} node
 * @property {string} words
 */

/**
 * Declarations with the inferred types written out and without internal members, by file: only of files that
 * have any.
 *
 * @param {readonly string[]} entries declarations; those that they import are read too
 * @returns {Map<string, string>}
 */
export function writeOutTypes(entries) {
  const program = ts.createProgram([...entries], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: [],
    noEmit: true,
  });
  const sources = program
    .getSourceFiles()
    .filter((source) => !program.isSourceFileFromExternalLibrary(source))
    .filter((source) => !program.isSourceFileDefaultLibrary(source));
  const checker = program.getTypeChecker();
  const aliases = new Map(sources.map((source) => [source, inferredAliases(source, checker)]));
  const named = namedTypes([...aliases.values()].flat());
  /** @type {Map<string, string>} */
  const written = new Map();
  for (const source of sources) {
    /** @type {Set<string>} */
    const imports = new Set();
    const edits = [
      ...internalMembers(source),
      ...(aliases.get(source) ?? []).map((alias) => ({
        ...spanOf(alias.node, source),
        words: withNames(alias, named, imports),
      })),
    ];
    const text = edited(source.text, edits);
    if (edits.length > 0) written.set(resolve(source.fileName), [...imports, text].join('\n'));
  }
  return written;
}

/**
 * Aliases of inferred types.
 *
 * @param {ts.SourceFile} source
 * @param {ts.TypeChecker} checker
 * @returns {Alias[]}
 */
function inferredAliases(source, checker) {
  return source.statements
    .filter(ts.isTypeAliasDeclaration)
    .filter(({ type, typeParameters }) => !typeParameters && INFERRED.test(type.getText(source)))
    .map((statement) => ({
      file: resolve(source.fileName),
      name: statement.name.text,
      isExported:
        statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false,
      node: statement.type,
      words: checker.typeToString(checker.getTypeAtLocation(statement.name), statement, FORMAT),
    }));
}

/**
 * Long object types that have a name, by their words.
 *
 * @param {readonly Alias[]} aliases
 */
function namedTypes(aliases) {
  return new Map(
    aliases
      .filter(({ isExported, words }) => isExported && words.startsWith('{') && words.endsWith('}'))
      .map((alias) => /** @type {const} */ ([withoutSpace(alias.words), alias]))
      .filter(([words]) => words.length >= NAMED_FROM),
  );
}

/**
 * Words of an alias, with the names of the types within it that have one.
 *
 * @param {Alias} alias
 * @param {ReadonlyMap<string, Alias>} named
 * @param {Set<string>} imports gets a line for each name of another file
 */
function withNames({ file, words }, named, imports) {
  const source = ts.createSourceFile('words.ts', `type T = ${words}`, ts.ScriptTarget.ES2023);
  const [alias] = source.statements;
  if (alias === undefined || !ts.isTypeAliasDeclaration(alias)) return words;
  /** @type {Edit[]} */
  const edits = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const other = ts.isTypeLiteralNode(node)
      ? named.get(withoutSpace(node.getText(source)))
      : undefined;
    if (other === undefined) ts.forEachChild(node, visit);
    else {
      const { start, end } = spanOf(node, source);
      edits.push({ start, end, words: nameIn(file, other, imports) });
    }
  };
  ts.forEachChild(alias.type, visit);
  return edited(source.text, edits).slice(alias.type.getStart(source));
}

/**
 * Name of a type in a file, which imports it if it is of another one.
 *
 * @param {string} file
 * @param {Alias} type
 * @param {Set<string>} imports
 */
function nameIn(file, type, imports) {
  if (type.file === file) return type.name;
  // A name that the file cannot have already; the bundler gives it back its own.
  const local = `Named${type.name}`;
  const path = relative(dirname(file), type.file).replace(/\.d\.ts$/, '.js');
  imports.add(`import type { ${type.name} as ${local} } from './${path.replaceAll('\\', '/')}';`);
  return local;
}

/**
 * Edits that cut the internal members of interfaces.
 *
 * @param {ts.SourceFile} source
 * @returns {Edit[]}
 */
function internalMembers(source) {
  return source.statements
    .filter(ts.isInterfaceDeclaration)
    .flatMap(({ members }) => [...members])
    .filter((member) => ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal'))
    .map(({ pos, end }) => ({ start: pos, end, words: '' }));
}

/**
 * @param {ts.Node} node
 * @param {ts.SourceFile} source
 */
function spanOf(node, source) {
  return { start: node.getStart(source), end: node.end };
}

/** @param {string} words */
function withoutSpace(words) {
  return words.replaceAll(/\s+/g, '');
}

/**
 * @param {string} text
 * @param {readonly Edit[]} edits of spans that do not overlap
 */
function edited(text, edits) {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((rest, { start, end, words }) => rest.slice(0, start) + words + rest.slice(end), text);
}
