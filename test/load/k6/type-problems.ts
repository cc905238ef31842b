import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Problems that TypeScript finds in the scripts of a folder by the declarations of k6 (`@types/k6`), by file;
 * a file without any is left out.
 */
export async function typeProblems(folder: string): Promise<Record<string, string[]>> {
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    noImplicitAny: false,
    target: 'es2020',
    lib: ['es2020'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['k6'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: {
      'k6/*': [join(ROOT, 'node_modules/@types/k6/*')],
      k6: [join(ROOT, 'node_modules/@types/k6')],
    },
  };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.js'] }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, '-p', project], { cwd: folder }, (_, stdout) =>
      resolve(stdout),
    );
  });
  const problems: Record<string, string[]> = {};
  for (const [, file = '', problem = ''] of text.matchAll(/^(\S+?)\(\d+,\d+\): (.*)$/gm)) {
    problems[file] = [...(problems[file] ?? []), problem];
  }
  return problems;
}
