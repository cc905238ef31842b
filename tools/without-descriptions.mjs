// Takes the descriptions of fields out of schemas: they are published in schemas/, and nothing reads them from
// the code. Those that OpenAPI shows are in modules of messages, which keep them.

import { readFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** Modules whose descriptions `fareproof rules --openapi` prints. */
const KEPT = /-messages\.ts$/;

/** Folder whose functions take a description by the name {@link PARAMETER}, and pass it to `.meta()`. */
const DOCUMENTS = `${sep}documents${sep}`;
const PARAMETER = 'description';

/** @typedef {[start: number, end: number]} Span */
/** @typedef {Map<string, number>} Places place of the description among the arguments, by function */

/**
 * Text of a module without each call of `.meta()`, and without the arguments that only such a call used.
 *
 * @param {string} file its path
 * @param {string} text
 * @throws {Error} if a description is used for something else
 */
export function withoutDescriptions(file, text) {
  if (KEPT.test(file)) return text;
  const { program } = parseSync(file, text);
  const isDocument = file.includes(DOCUMENTS);
  const own = isDocument ? describingFunctions(program) : { places: [], parameters: [] };
  /** @type {Places} */
  const places = new Map(isDocument ? [...importedFunctions(file, program), ...own.places] : []);
  /** @type {Span[]} */
  const cuts = [...own.parameters];
  new Visitor({
    CallExpression({ callee, arguments: given, end }) {
      if (callee.type === 'MemberExpression' && nameOf(callee.property) === 'meta') {
        cuts.push([callee.object.end, end]);
      }
      const place = callee.type === 'Identifier' ? places.get(callee.name) : undefined;
      if (place !== undefined) cuts.push(spanOf(given, place, end - 1));
    },
  }).visit(program);
  if (cuts.length === 0) return text;
  const rest = without(text, cuts);
  if (own.parameters.length > 0) refuseUse(file, rest);
  return rest;
}

/**
 * Functions of a module that take a description.
 *
 * @param {import('oxc-parser').Program} program
 */
function describingFunctions({ body }) {
  /** @type {[name: string, place: number][]} */
  const places = [];
  /** @type {Span[]} */
  const parameters = [];
  for (const statement of body) {
    const declared =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declared.declarations) {
      if (init?.type !== 'ArrowFunctionExpression') continue;
      const place = init.params.findIndex((parameter) => nameOf(parameter) === PARAMETER);
      if (place === -1) continue;
      places.push([nameOf(id), place]);
      parameters.push(spanOf(init.params, place, init.params.at(-1)?.end ?? 0));
    }
  }
  return { places, parameters };
}

/**
 * Functions of other modules that take a description, by the names that they have here.
 *
 * @param {string} file
 * @param {import('oxc-parser').Program} program
 */
function importedFunctions(file, { body }) {
  return body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration') return [];
    const from = resolve(dirname(file), statement.source.value);
    if (!statement.source.value.startsWith('.') || !from.includes(DOCUMENTS)) return [];
    const { places } = describingFunctions(parseSync(from, readFileSync(from, 'utf8')).program);
    return statement.specifiers.flatMap((specifier) => {
      if (specifier.type !== 'ImportSpecifier') return [];
      const found = places.find(([name]) => name === nameOf(specifier.imported));
      return found ? [/** @type {[string, number]} */ ([specifier.local.name, found[1]])] : [];
    });
  });
}

/** @param {{ type: string }} node */
function nameOf(node) {
  return 'name' in node && typeof node.name === 'string' ? node.name : '';
}

/**
 * Span of one of several arguments or parameters, with the comma that separates it from others.
 *
 * @param {readonly { start: number, end: number }[]} items
 * @param {number} place
 * @param {number} end end of all
 * @returns {Span}
 */
function spanOf(items, place, end) {
  const start = items[place]?.start ?? end;
  const next = items[place + 1];
  return next ? [start, next.start] : [items[place - 1]?.end ?? start, end];
}

/**
 * Text without its cuts; of a cut within another one, the outer holds.
 *
 * @param {string} text
 * @param {Span[]} cuts
 */
function without(text, cuts) {
  let rest = '';
  let at = 0;
  for (const [start, end] of cuts.sort(([a], [b]) => a - b)) {
    rest += text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return rest + text.slice(at);
}

/**
 * @param {string} file
 * @param {string} rest
 * @throws {Error} if a parameter that was cut is read
 */
function refuseUse(file, rest) {
  const { program } = parseSync(file, rest);
  /** @type {Set<unknown>} */
  const names = new Set();
  new Visitor({
    Property({ key, computed, shorthand }) {
      if (!computed && !shorthand) names.add(key);
    },
    MemberExpression({ property, computed }) {
      if (!computed) names.add(property);
    },
    Identifier(node) {
      if (node.name === PARAMETER && !names.has(node)) {
        throw new Error(`${file}: a description is used for something else than .meta()`);
      }
    },
  }).visit(program);
}
