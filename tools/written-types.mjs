// Writes out the types that declarations infer from schemas and tables: readers see fields instead of zod's
// classes, a compiler needs no zod, and the types of the package are half as long. Leaves out what is for the
// command alone (`@internal`), and the types of it.

import { resolve } from 'node:path';
import ts from 'typescript-5';

/** A type that is inferred from a value, such as `DocumentOf<typeof exchangeSchema>`. */
const INFERRED = /\b(typeof|keyof)\b/;

const FORMAT =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.MultilineObjectLiterals;

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
  const checker = program.getTypeChecker();
  /** @type {Map<string, string>} */
  const written = new Map();
  for (const source of program.getSourceFiles()) {
    if (program.isSourceFileFromExternalLibrary(source)) continue;
    if (program.isSourceFileDefaultLibrary(source)) continue;
    let text = source.text;
    for (const statement of [...source.statements].reverse()) {
      if (ts.isInterfaceDeclaration(statement)) text = withoutInternal(text, statement);
      if (!ts.isTypeAliasDeclaration(statement) || statement.typeParameters) continue;
      if (!INFERRED.test(statement.type.getText(source))) continue;
      const type = checker.getTypeAtLocation(statement.name);
      const words = checker.typeToString(type, statement, FORMAT);
      text =
        text.slice(0, statement.type.getStart(source)) + words + text.slice(statement.type.end);
    }
    if (text !== source.text) written.set(resolve(source.fileName), text);
  }
  return written;
}

/**
 * Text of a file without the internal members of an interface.
 *
 * @param {string} text
 * @param {ts.InterfaceDeclaration} declared
 */
function withoutInternal(text, { members }) {
  return members
    .filter((member) => ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal'))
    .reduceRight((rest, { pos, end }) => rest.slice(0, pos) + rest.slice(end), text);
}
