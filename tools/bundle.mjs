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
    plugins: [keepAddresses()],
    // A command loads what it uses of an index.ts, not all that the file exports.
    treeshake: { moduleSideEffects: false },
    logLevel: 'warn',
  });
  await build.write({
    dir: join(ROOT, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    minify: true,
    comments: { jsdoc: false, annotation: false, legal: true },
  });
  await build.close();
}

/** Writes the types of the library. */
async function bundleTypes() {
  const build = await rolldown({
    input: {
      index: join(ROOT, 'build/index.d.ts'),
      matchers: join(ROOT, 'build/testing/matchers.d.ts'),
      vitest: join(ROOT, 'build/testing/vitest.d.ts'),
    },
    external: EXTERNAL,
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    logLevel: 'warn',
    // The plugin that follows types is slower than the bundler, which is no problem.
    checks: { bundlerTimings: false },
  });
  await build.write({
    dir: join(ROOT, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name].d.ts',
    // A running server is AsyncDisposable, which no `target` of TypeScript has by itself.
    banner: '/// <reference lib="esnext.disposable" />',
    // Names that a reader knows, and shorter lists of imports.
    minifyInternalExports: false,
  });
  await build.close();
}

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
await bundleCode();
await bundleTypes();
