// Bundles src/ into dist/: the command, the library and each worker are entries that share chunks, so
// that a command opens a few files. The types of the library become one file, from the declarations
// that `tsc` wrote into build/.
//
//   node tools/bundle.mjs

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { withoutDescriptions } from './without-descriptions.mjs';
import { writeOutTypes } from './written-types.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Stands for the path from a chunk to dist/ until the place of the chunk is known. */
const TO_DIST = '@dist@';

/** Address of a module beside another one, such as that of a worker. */
const ADDRESS = /new URL\(\s*'(\.{1,2}\/[^']+\.js)'\s*,\s*import\.meta\.url\s*\)/g;

/**
 * Keeps addresses right: `import.meta.url` of a module stays what it would be if each module were a file
 * of its own, and a module that is named by its address becomes a file there.
 *
 * @returns {import('rolldown').Plugin}
 */
function keepAddresses() {
  return {
    name: 'keep-addresses',
    transform(code, id) {
      if (!id.startsWith(SRC + sep) || !code.includes('import.meta.url')) return null;
      for (const [, address = ''] of code.matchAll(ADDRESS)) {
        const source = resolve(dirname(id), address).replace(/\.js$/, '.ts');
        if (existsSync(source)) {
          this.emitFile({ type: 'chunk', id: source, fileName: placeOf(source) });
        }
      }
      const own = `new URL('${TO_DIST}/${placeOf(id)}', import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', own) };
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(TO_DIST)) return null;
      const depth = fileName.split('/').length - 1;
      return {
        code: code.replaceAll(TO_DIST, depth === 0 ? '.' : Array(depth).fill('..').join('/')),
      };
    },
  };
}

/**
 * Takes the descriptions of fields out of schemas.
 *
 * @returns {import('rolldown').Plugin}
 */
function dropDescriptions() {
  return {
    name: 'drop-descriptions',
    transform(code, id) {
      return id.startsWith(SRC + sep) ? { code: withoutDescriptions(id, code) } : null;
    },
  };
}

/**
 * Path in dist/ of a module of src/.
 *
 * @param {string} source
 */
function placeOf(source) {
  return relative(SRC, source).split(sep).join('/').replace(/\.ts$/, '.js');
}

/** Installed with the package, or by who needs them. */
const EXTERNAL = [
  /^node:/,
  ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).map(
    (name) => new RegExp(`^${name}(/|$)`),
  ),
];

/**
 * Small modules that would each be a chunk of its own, as different entries share them. A group takes what
 * its modules import along: `first`, of which `--version` and the help are made, loads no module of
 * Node, and `base` no package.
 */
const GROUPS = [
  { name: 'first', test: /src.(interface.errors|documents.judged-count)\.ts$/ },
  {
    name: 'base',
    test: /src.interface.(duration|missing-field|suggestion|limits|signature|signature-settings|default-behaviour|error-conditions)\.ts$/,
  },
  { name: 'start', test: /src.cli.(io|tool|output.exit-codes|files.system-error)\.ts$/ },
  {
    name: 'output',
    test: /src.cli.(files.(text|write)|flags.(numbers|repeatable)|output.(deliver|live-page|progress-line|repeat))\.ts$/,
  },
  { name: 'interface', test: /src.interface.(?!catalogue)/ },
  { name: 'documents', test: /src.documents.conformance\.ts$/ },
].map((group, at, { length }) => ({ ...group, priority: length - at }));

/**
 * Names a chunk by the folder of its last module, which others import: similar code comes together in the
 * packed file, where only what is near compresses.
 *
 * @param {import('rolldown').PreRenderedChunk} chunk
 */
function nameOfChunk({ facadeModuleId, moduleIds }) {
  const folder = dirname(placeOf(facadeModuleId ?? moduleIds.at(-1) ?? join(SRC, 'index.ts')));
  return `chunks/${folder.replaceAll('/', '-')}-[name].js`;
}

/** Writes the JavaScript of the package. */
async function bundleCode() {
  const build = await rolldown({
    input: {
      'cli/launch': join(SRC, 'cli/launch.ts'),
      index: join(SRC, 'index.ts'),
      matchers: join(SRC, 'testing/matchers.ts'),
      vitest: join(SRC, 'testing/vitest.ts'),
    },
    platform: 'node',
    external: EXTERNAL,
    plugins: [dropDescriptions(), keepAddresses()],
    // A command loads what it uses of an index.ts, not all that the file exports.
    treeshake: { moduleSideEffects: false },
    logLevel: 'warn',
  });
  await build.write({
    dir: join(ROOT, 'dist'),
    format: 'esm',
    chunkFileNames: nameOfChunk,
    codeSplitting: { groups: GROUPS },
    minify: true,
    comments: { jsdoc: false, annotation: false, legal: true },
  });
  await build.close();
}

/**
 * Indents by tabs, and names no file that is not packed: the packed file is smaller by it.
 *
 * @returns {import('rolldown').Plugin}
 */
function indentByTabs() {
  return {
    name: 'indent-by-tabs',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        chunk.code = chunk.code
          .replaceAll(/^\/\/ build\/.*\n/gm, '')
          .replaceAll(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2));
      }
    },
  };
}

/** Writes the types of the library. */
async function bundleTypes() {
  const input = {
    index: join(ROOT, 'build/index.d.ts'),
    matchers: join(ROOT, 'build/testing/matchers.d.ts'),
    vitest: join(ROOT, 'build/testing/vitest.d.ts'),
  };
  const written = writeOutTypes(Object.values(input));
  const build = await rolldown({
    input,
    external: EXTERNAL,
    plugins: [
      { name: 'written-out-types', load: (id) => written.get(id) ?? null },
      dts({ dtsInput: true, tsconfig: false }),
      indentByTabs(),
    ],
    logLevel: 'warn',
    // The plugin that follows types is slower than the bundler, which is no problem.
    checks: { bundlerTimings: false },
  });
  await build.write({
    dir: join(ROOT, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name].d.ts',
    // Names that a reader knows, and shorter lists of imports.
    minifyInternalExports: false,
  });
  await build.close();
}

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
await bundleCode();
await bundleTypes();
