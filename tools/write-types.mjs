// Writes the types of schemas in build/ out, as interfaces with the descriptions of their fields: an editor then
// shows what a field means, and not how it is read. Runs between `tsc` and the bundler.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';

const BUILD = fileURLToPath(new URL('../build/', import.meta.url));

/** Modules whose schemas the types of the library depend on. */
const MODULES = [
  ...readdirSync(join(BUILD, 'documents'))
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => `documents/${name.slice(0, -'.d.ts'.length)}`),
  'interface/target-profile',
  'interface/behaviour-schema',
  'conformance/suite',
  'conformance/waivers',
];

/** @typedef {import('zod').core.JSONSchema.JSONSchema} Schema */

/** Replaces references to named parts by the parts. */
function resolved(/** @type {Exclude<Schema, boolean>} */ root) {
  const { $defs = {} } = root;
  const text = JSON.stringify(root, (_key, value) => {
    const name = /^#\/\$defs\/(.+)$/.exec(value?.$ref ?? '')?.[1];
    return name === undefined ? value : { ...$defs[name], ...value, $ref: undefined };
  });
  return /** @type {Schema} */ (JSON.parse(text));
}

/**
 * The type that a JSON schema describes.
 *
 * @param {Schema | boolean} schema
 * @returns {string}
 */
function typeOf(schema) {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  const { type, anyOf, oneOf, allOf } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const some = anyOf ?? oneOf;
  if (some) return some.map((one) => inBrackets(typeOf(one))).join(' | ');
  if (allOf) return allOf.map((one) => inBrackets(typeOf(one))).join(' & ');
  if (type === 'array') {
    const { prefixItems, items } = schema;
    if (prefixItems) return `[${prefixItems.map(typeOf).join(', ')}]`;
    return `${inBrackets(typeOf(/** @type {Schema} */ (items ?? true)))}[]`;
  }
  if (type === 'object') return objectOf(schema);
  const names = (Array.isArray(type) ? type : [type ?? 'unknown']).map((one) =>
    one === 'integer' ? 'number' : one,
  );
  return names.join(' | ');
}

/** @param {string} type */
function inBrackets(type) {
  return / [|&] /.test(type) && !/^\{[\s\S]*\}$/.test(type) ? `(${type})` : type;
}

/** @param {Exclude<Schema, boolean>} schema */
function objectOf({ properties = {}, required = [], additionalProperties }) {
  const fields = Object.entries(properties).map(([name, field]) => {
    const words = typeof field === 'object' ? field.description : undefined;
    const optional = required.includes(name) ? '' : '?';
    const shown = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(field);
    return `${words ? `/** ${words} */\n` : ''}${shown}${optional}: ${type}${optional && ' | undefined'};`;
  });
  const more = typeof additionalProperties === 'object' && Object.keys(properties).length === 0;
  if (more) fields.push(`[name: string]: ${typeOf(additionalProperties)};`);
  return `{\n${fields.join('\n')}\n}`;
}

/** End of the declaration that starts at an offset: the semicolon outside of all brackets. */
function endOf(/** @type {string} */ text, /** @type {number} */ from) {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const one = text[at] ?? '';
    if ('<{(['.includes(one)) depth++;
    else if ('}])'.includes(one) || (one === '>' && text[at - 1] !== '=')) depth--;
    else if (one === ';' && depth === 0) return at + 1;
  }
  throw new Error('a declaration without an end');
}

for (const module of MODULES) {
  const file = join(BUILD, `${module}.d.ts`);
  let text = readFileSync(file, 'utf8');
  const values = await import(pathToFileURL(join(BUILD, `${module}.js`)).href);
  for (const [name, value] of Object.entries(values)) {
    if (!(value instanceof z.ZodType)) continue;
    const start = text.indexOf(`export declare const ${name}: z.Zod`);
    if (start === -1) continue;
    const [output, input] = /** @type {const} */ (['output', 'input']).map((io) =>
      typeOf(resolved(z.toJSONSchema(value, { io, unrepresentable: 'any' }))),
    );
    const types = output === input ? output : `${output}, ${input}`;
    text = `${text.slice(0, start)}export declare const ${name}: z.ZodType<${types}>;${text.slice(endOf(text, start))}`;
  }
  writeFileSync(file, text);
}
