// Reads which files a module refers to.

import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * @typedef {object} Arrow
 * @property {string} file that it is written in, by its path from the root
 * @property {number} line
 * @property {string} from the file without extension
 * @property {string | null} to the file that it leads to, from the root, without extension if it is
 *   code; null for a package, and where it is computed
 * @property {string | null} specifier as written; null if it is computed
 * @property {boolean} isUrl whether it is `new URL('…', import.meta.url)`, such as of a worker
 * @property {boolean} isData whether it is the address of something else than code
 */

const CODE = /\.[cm]?[jt]sx?$/;

/**
 * @param {string} file
 * @param {string} source
 * @returns {{ arrows: Arrow[], errors: { line: number, message: string }[] }}
 */
export function readArrows(file, source) {
  const { module, errors } = parseSync(file, source, { sourceType: 'module' });
  const lineAt = (/** @type {number} */ offset) => source.slice(0, offset).split('\n').length;
  const exports = module.staticExports.flatMap(({ entries }) => entries);
  const requests = [
    ...[...module.staticImports, ...exports].flatMap(({ moduleRequest: at }) =>
      at ? [{ start: at.start, specifier: at.value, isUrl: false }] : [],
    ),
    ...module.dynamicImports.map(({ moduleRequest: at }) => ({
      start: at.start,
      specifier: textOf(source.slice(at.start, at.end)),
      isUrl: false,
    })),
    ...module.importMetas.map(({ start, end }) => {
      const resolved = /^\.resolve\(([^()]*)\)/.exec(source.slice(end))?.[1];
      return resolved !== undefined
        ? { start, specifier: textOf(resolved), isUrl: false }
        : {
            start,
            specifier: textOf(/new URL\(([^()]*),\s*$/.exec(source.slice(0, start))?.[1] ?? ''),
            isUrl: true,
          };
    }),
  ];
  return {
    arrows: requests.map(({ start, ...request }) => ({
      file,
      line: lineAt(start),
      from: withoutExtension(file),
      to: targetOf(file, request),
      isData: request.isUrl && request.specifier !== null && !CODE.test(request.specifier),
      ...request,
    })),
    errors: errors.map(({ message, labels: [at] }) => ({ message, line: lineAt(at?.start ?? 0) })),
  };
}

/** @param {string} file */
export function withoutExtension(file) {
  return file.replace(CODE, '');
}

/**
 * Value of a string literal; null for any other expression.
 *
 * @param {string} code
 */
function textOf(code) {
  return /^\s*(['"`])((?:(?!\1|\$\{).)*)\1\s*$/s.exec(code)?.[2] ?? null;
}

/**
 * @param {string} file
 * @param {{ specifier: string | null, isUrl: boolean }} request
 */
function targetOf(file, { specifier, isUrl }) {
  if (specifier === null || !(isUrl || specifier.startsWith('.'))) return null;
  return withoutExtension(posix.join(posix.dirname(file), specifier));
}
