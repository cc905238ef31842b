import { execFileSync } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../../src/interface/index.ts';
import { startServer } from '../../../src/server/index.ts';
import { openApiDocument } from '../../support/openapi-document.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

interface Client {
  ride(
    baseUrl: string,
    partnerId: string,
    sign: (body: Record<string, unknown>) => string,
    rideType: string,
  ): Promise<{ prices: number[][]; refused: string }>;
}

const project = temporaryFolderOfFile();

/** Types of the service that openapi-typescript makes of a document. */
function typesOf(document: object): string {
  const [generator, input] = [join(HERE, 'write-types.mjs'), JSON.stringify(document)];
  return execFileSync(process.execPath, [generator], { input, encoding: 'utf8' });
}

/** Compiles the client in the project; the errors, none if its uses are right and the wrong ones wrong. */
function compile(): string {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    return execFileSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

beforeAll(() => {
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  copyFileSync(join(HERE, 'client.ts.txt'), join(project, 'client.ts'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const options = {
    module: 'nodenext',
    target: 'es2023',
    types: [],
    strict: true,
    skipLibCheck: true,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['client.ts'] }),
  );
});

describe('a client generated from the OpenAPI document', () => {
  it('type-checks right uses and refuses wrong ones', () => {
    writeFileSync(join(project, 'service.d.ts'), typesOf(openApiDocument()));
    expect(compile()).toBe('');
  });

  it.each([
    ['compact', 1],
    ['carpool-single', 1],
    ['carpool', 2],
  ])(
    'gets a token and an estimate for the ride type %s from the reference server',
    async (type, length) => {
      const { ride } = (await import(pathToFileURL(join(project, 'client.js')).href)) as Client;
      const server = await startServer({});
      try {
        const { prices, refused } = await ride(
          server.baseUrl,
          'demo',
          (body) => sign(body, 'signing-key-of-demo'),
          type,
        );
        expect(prices[0]).toHaveLength(length);
        for (const price of prices.flat()) expect(price).toBeGreaterThan(0);
        expect(refused).toBe('access-token-invalid');
      } finally {
        await server.close(0);
      }
    },
  );

  it('would not compile if coordinates were text, so that types come from the document', () => {
    const document = JSON.stringify(openApiDocument()).replaceAll(
      '"type":"number"',
      '"type":"string"',
    );
    writeFileSync(join(project, 'service.d.ts'), typesOf(JSON.parse(document)));
    expect(compile()).toMatch(/client\.ts\(\d+,\d+\): error TS2322/);
  });
});
