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
  'interface/gaps',
  'conformance/suite',
  'conformance/waivers',
];

/** Types of a document as judges see it, whose words they cannot read: to others they are the document's own. */
const UNSEALED = `export type Words = string;
export type { Exchange } from './exchange.js';
export type { GapFinding, RuleResult } from './conformance.js';
`;

/** @typedef {import('zod').core.JSONSchema.JSONSchema & { named?: string }} Schema */
/** @typedef {'output' | 'input'} Io */

/** A type that is made of one schema, or of a table of them. */
const ALIAS =
  /export type (\w+) = (DocumentOf<|DeepReadonly<z\.(?:infer|input)<|Readonly<z\.(?:infer|input)<|z\.(?:infer|input)<)typeof (\w+)>*(\[number\]>)?;/g;
const TABLE =
  /export type (\w+) = \{\s*readonly \[Id in keyof typeof (\w+)\]: z\.output<\(typeof \2\)\[Id\]>;\s*\};/g;
const KEYS = /export type (\w+) = keyof Register;/g;

const read = (/** @type {string} */ module) => readFileSync(join(BUILD, `${module}.d.ts`), 'utf8');

/** Values of each module, and the name of the type of each schema that has one. */
const VALUES = new Map();
/** @type {Map<unknown, { name: string, module: string }>} */
const NAMES = new Map();
/** Modules that declare the types of parts with an id, by their names, and those declarations. */
/** @type {Map<string, { module: string, text: string }>} */
const PARTS = new Map();
for (const module of MODULES) {
  const values = await import(pathToFileURL(join(BUILD, `${module}.js`)).href);
  VALUES.set(module, values);
  for (const [, name = '', wrapper = '', schema = '', element] of read(module).matchAll(ALIAS))
    if (wrapper === 'DocumentOf<' && !element && values[schema])
      NAMES.set(values[schema], { name, module });
}

/**
 * The JSON schema of a schema, without references. A part whose type has a name is that name.
 *
 * @param {any} root
 * @param {Io} io
 * @param {string} module where the type is written
 * @returns {Schema}
 */
function describe(root, io, module) {
  const { $defs = {}, ...schema } = /** @type {any} */ (
    z.toJSONSchema(root, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        if (zodSchema._zod.def.type === 'transform')
          throw new Error(`${module}: a transform says no type; pipe it to one that does`);
        const named = NAMES.get(zodSchema);
        if (!named || zodSchema === root) return;
        const from = named.module === module ? '' : `import('${pathTo(named.module, module)}').`;
        Object.assign(jsonSchema, { named: `${from}${named.name}` });
      },
    })
  );
  const resolved = (/** @type {Schema} */ one) => JSON.parse(JSON.stringify(one, resolve));
  const resolve = (/** @type {string} */ _key, /** @type {any} */ value) => {
    const name = /^#\/\$defs\/(.+)$/.exec(value?.$ref ?? '')?.[1];
    if (name === undefined) return value;
    const part = { ...$defs[name], ...value, $ref: undefined };
    if (name.startsWith('__')) return part;
    return { ...part, named: partName(name, resolved($defs[name]), module) };
  };
  return resolved(schema);
}

/**
 * Name of the type of a part with an id; the first module that has the part declares it.
 *
 * @param {string} id
 * @param {Schema} part
 * @param {string} module where the name is written
 */
function partName(id, part, module) {
  const name = `${id[0]?.toUpperCase()}${id.slice(1)}`;
  const own = PARTS.get(name) ?? { module, text: declared(name, typeOf(part, 'readonly ')) };
  PARTS.set(name, own);
  return own.module === module ? name : `import('${pathTo(own.module, module)}').${name}`;
}

/** Path to a module of build/ from another one. */
function pathTo(/** @type {string} */ module, /** @type {string} */ from) {
  return `${'../'.repeat(from.split('/').length - 1) || './'}${module}.js`;
}

/**
 * The type that a JSON schema describes, which is read-only where it is of a value and not of a file.
 *
 * @param {Schema | boolean} schema
 * @param {string} readonly `readonly ` or nothing
 * @returns {string}
 */
function typeOf(schema, readonly) {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  const { type, anyOf, oneOf, allOf, named } = schema;
  if (named !== undefined) return named;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const of = (/** @type {any} */ one) => inBrackets(typeOf(one, readonly));
  const some = anyOf ?? oneOf;
  if (some) return some.map(of).join(' | ');
  // Beside a type, they are patterns of a text.
  if (allOf && type === undefined) return allOf.map(of).join(' & ');
  if (type === 'array') {
    const { prefixItems, items } = schema;
    const own = schema.readOnly ? 'readonly ' : readonly;
    if (prefixItems) return `${own}[${prefixItems.map((one) => typeOf(one, readonly)).join(', ')}]`;
    return `${own}${of(items ?? true)}[]`;
  }
  if (type === 'object') return objectOf(schema, readonly);
  const names = (Array.isArray(type) ? type : [type ?? 'unknown']).map((one) =>
    one === 'integer' ? 'number' : one,
  );
  return names.join(' | ');
}

/** Checks for a type that is one object, and no union of several. */
function isOneObject(/** @type {string} */ type) {
  let depth = 0;
  const brackets = [...type.replaceAll(/\/\*\*.*?\*\//g, '').matchAll(/[{}]/g)];
  const closed = brackets.findIndex(([one]) => (depth += one === '{' ? 1 : -1) === 0);
  return type.startsWith('{') && closed === brackets.length - 1;
}

/** @param {string} type */
function inBrackets(type) {
  return / [|&] |^readonly /.test(type) && !isOneObject(type) ? `(${type})` : type;
}

/**
 * @param {Exclude<Schema, boolean>} schema
 * @param {string} readonly
 */
function objectOf({ properties = {}, required = [], additionalProperties }, readonly) {
  const fields = Object.entries(properties).map(([name, field]) => {
    const words = typeof field === 'object' ? field.description : undefined;
    const optional = required.includes(name) ? '' : '?';
    const shown = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(field, readonly);
    return `${words ? `/** ${words} */\n` : ''}${readonly}${shown}${optional}: ${type}${optional && ' | undefined'};`;
  });
  const more = typeof additionalProperties === 'object' && Object.keys(properties).length === 0;
  if (more) fields.push(`${readonly}[name: string]: ${typeOf(additionalProperties, readonly)};`);
  return `{\n${fields.join('\n')}\n}`;
}

/** A declaration of a type: an interface where it is one object. */
function declared(/** @type {string} */ name, /** @type {string} */ type) {
  return isOneObject(type) ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
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
  const values = VALUES.get(module);
  const written = (/** @type {string} */ schema, /** @type {Io} */ io, readonly = '') =>
    typeOf(describe(values[schema], io, module), readonly);
  let text = read(module)
    .replaceAll(ALIAS, (as, name, wrapper, schema, element) => {
      if (!(values[schema] instanceof z.ZodType)) return as;
      const readonly = wrapper.startsWith('z.') ? '' : 'readonly ';
      const type = written(schema, wrapper.includes('input') ? 'input' : 'output', readonly);
      const list = readonly ? /^readonly ([\s\S]*)\[\]$/ : /^([\s\S]*)\[\]$/;
      const item = element ? list.exec(type)?.[1] : type;
      if (item === undefined) throw new Error(`${module}: ${name} is of no list`);
      return declared(name, item);
    })
    .replaceAll(TABLE, (_as, name, table) => {
      const fields = Object.entries(values[table]).map(
        ([id, schema]) =>
          `readonly '${id}': ${typeOf(describe(schema, 'output', module), 'readonly ')};`,
      );
      return `export interface ${name} {\n${fields.join('\n')}\n}`;
    })
    .replaceAll(KEYS, (_as, name) => {
      const ids = Object.keys(values['ANSWER_SCHEMAS']).map((id) => `'${id}'`);
      return `export type ${name} = ${ids.join(' | ')};`;
    });
  for (const [name, value] of Object.entries(values)) {
    if (!(value instanceof z.ZodType)) continue;
    const start = text.indexOf(`export declare const ${name}: z.Zod`);
    if (start === -1) continue;
    const output = written(name, 'output');
    const input = written(name, 'input');
    const types = output === input ? output : `${output}, ${input}`;
    text = `${text.slice(0, start)}export declare const ${name}: z.ZodType<${types}>;${text.slice(endOf(text, start))}`;
  }
  for (const [name, part] of PARTS)
    if (part.module === module)
      text = `${text.replace(`export type ${name} = DocumentOf<typeof ${name[0]?.toLowerCase()}${name.slice(1)}Schema>;`, '')}${part.text}\n`;
  writeFileSync(join(BUILD, `${module}.d.ts`), text);
}
writeFileSync(join(BUILD, 'documents/sealed.d.ts'), UNSEALED);
