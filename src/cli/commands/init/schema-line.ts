import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN_SCHEMAS = fileURLToPath(new URL('../../../../schemas', import.meta.url));

/** Folder of the schemas in a repository that depends on this package. */
const INSTALLED = join('node_modules', 'fareproof', 'schemas');

/**
 * First line of a YAML file, by which an editor with the YAML language server completes and checks it:
 * the path of the schema in the nearest `node_modules`, or in this package where it is not installed.
 *
 * @param schema name of the schema, such as `suite`
 * @param folder folder of the file
 */
export function schemaLine(schema: string, folder: string): string {
  const schemas = nearestInstalled(folder) ?? OWN_SCHEMAS;
  const path = relative(folder, join(schemas, `${schema}.json`)).replaceAll('\\', '/');
  return `# yaml-language-server: $schema=${path.startsWith('.') ? path : `./${path}`}\n`;
}

function nearestInstalled(folder: string): string | null {
  const installed = join(folder, INSTALLED);
  if (existsSync(installed)) return installed;
  const parent = dirname(folder);
  return parent === folder ? null : nearestInstalled(parent);
}
