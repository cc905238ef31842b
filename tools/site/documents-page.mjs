import { readdirSync, readFileSync } from 'node:fs';
import { cell } from './cell.mjs';

const FOLDER = new URL('../../schemas/', import.meta.url);

/**
 * @typedef {{
 *   title?: string, description?: string, type?: string | string[], $ref?: string, const?: unknown,
 *   enum?: unknown[], items?: Schema, anyOf?: Schema[], oneOf?: Schema[],
 *   properties?: Record<string, Schema>, required?: string[],
 * }} Schema
 */

/** Page of the documents and of the files that users write: the fields of each, by its schema. */
export function documentsPage() {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return [
    '# Documents',
    'Every run writes a document, `run.json`; profiles, suites, waivers and other files are written by you. Each has a JSON Schema.',
    ...names.flatMap((name) => {
      /** @type {Schema} */
      const schema = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
      return [
        `## ${name.replace('.json', '')}`,
        `${schema.title ?? ''}${schema.description === undefined ? '' : `: ${schema.description}`}. [JSON Schema](schemas/${name})`,
        fieldsOf(schema),
      ];
    }),
  ].join('\n\n');
}

/** @param {Schema} schema */
function fieldsOf(schema) {
  const object = schema.properties === undefined ? schema.items : schema;
  const { properties = {}, required = [] } = object ?? {};
  const rows = Object.entries(properties).map(([name, field]) => {
    const need = required.includes(name) ? 'yes' : '';
    return `| \`${name}\` | ${cell(typeOf(field))} | ${need} | ${cell(field.description ?? '')} |`;
  });
  if (rows.length === 0) return '';
  return ['| field | type | required | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * @param {Schema} field
 * @returns {string}
 */
function typeOf({ type, const: constant, enum: values, items, anyOf, oneOf, $ref }) {
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (values !== undefined)
    return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if ($ref !== undefined) return $ref.replace(/^.*\//, '');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${items === undefined ? 'any' : typeOf(items)}`;
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
}
