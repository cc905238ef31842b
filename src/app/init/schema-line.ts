import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OWN_SCHEMAS = fileURLToPath(new URL('../../../schemas', import.meta.url));

/** Folder of the schemas in a repository that depends on this package. */
const INSTALLED = join('node_modules', 'fareproof', 'schemas');

/**
 * First line of a YAML file, by which an editor with the YAML language server completes and checks it:
 * the path of the schema in the nearest `node_modules`, or in this package where it is not installed.
 *
 * A path with a space would end at it, so that it is an address then.
 *
 * @param schema name of the schema, such as `suite`
 * @param folder folder of the file
 * @param own folder of the schemas in this package
 */
export function schemaLine(schema: string, folder: string, own: string = OWN_SCHEMAS): string {
  const file = join(nearestInstalled(folder) ?? own, `${schema}.json`);
  const path = relative(folder, file).replaceAll('\\', '/');
  const reference = path.startsWith('.') ? path : `./${path}`;
  return `# yaml-language-server: $schema=${/\s/.test(path) ? pathToFileURL(file).href : reference}\n`;
}

function nearestInstalled(folder: string): string | null {
  const installed = join(folder, INSTALLED);
  if (existsSync(installed)) return installed;
  const parent = dirname(folder);
  return parent === folder ? null : nearestInstalled(parent);
}
