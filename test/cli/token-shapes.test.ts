// @module-tag long
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { runCaptured } from '../support/captured-io.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import { TOKEN_SHAPES, type TokenShape } from '../support/token-shapes.ts';

const folder = temporaryFolderOfFile();

const ESTIMATE = JSON.stringify([{ product_type: 'private-car', estimate_id: 'e-1' }]);

/** A service that issues tokens in a shape of its own, and takes any of them. */
async function serve({
  body,
  contentType = 'application/json',
  status = 200,
  ofDigits,
}: TokenShape) {
  const issued: string[] = [];
  const issue = (prefix: string): string => {
    const token = ofDigits
      ? `${randomBytes(8).readBigUInt64BE() | (1n << 63n)}`
      : `${prefix}+/${randomBytes(15).toString('base64')}`;
    issued.push(token);
    return token;
  };
  const service = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'POST') {
        response.writeHead(status, { 'content-type': `${contentType}; charset=utf-8` });
        response.end(body({ access: issue('A'), refresh: issue('R') }));
        return;
      }
      const { authorization = '' } = request.headers;
      const isKnown = issued.some((token) => authorization.endsWith(`|${token}`));
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
      response.end(isKnown ? ESTIMATE : JSON.stringify({ error: 'unknown token' }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  return { service, issued, port: (service.address() as AddressInfo).port };
}

/** Parts of secrets that texts show, as they are or encoded; none is right. */
function shownOf(secrets: readonly string[], texts: Readonly<Record<string, string>>): string[] {
  const parts = secrets.flatMap((secret) =>
    [
      secret,
      encodeURIComponent(secret),
      secret.replaceAll('/', '\\/'),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ].flatMap((spelled) => [spelled.slice(0, 12), spelled.slice(-14, -2)]),
  );
  return Object.entries(texts).flatMap(([name, text]) =>
    parts.filter((part) => text.includes(part)).map((part) => `${name}: ${part}`),
  );
}

it.each(Object.entries(TOKEN_SHAPES))(
  'check shows no token that a service answers %s, and judges the stored run the same',
  async (name, shape) => {
    const { service, issued, port } = await serve(shape);
    const profile = {
      name: 'shapes',
      baseUrl: `http://127.0.0.1:${port}`,
      local: true,
      partners: [{ id: 'p-100', signingKey: 'k3y-Rt8vB2-Kd8Yb2', authCodes: ['c0de-Zx4mQw9-1'] }],
      estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
    };
    const out = name.replaceAll(' ', '-');
    writeFileSync(join(folder, `${out}.yaml`), JSON.stringify(profile));
    const flags = ['--target', `${out}.yaml`, '--out', out, '--rule', 'token/re*'];
    const checked = await runCaptured(['check', ...flags], { cwd: folder });
    const run = join(folder, out, 'run.json');
    const args = ['report', '--recheck', '--format', 'json', join(out, 'run.json')];
    const again = await runCaptured(args, { cwd: folder });
    service.closeAllConnections();
    service.close();

    expect(issued.length).toBeGreaterThan(2);
    const files = readdirSync(join(folder, out)).map((file) => [
      file,
      readFileSync(join(folder, out, file), 'utf8'),
    ]);
    const texts = Object.fromEntries(files) as Record<string, string>;
    const { stdout, stderr } = checked;
    expect(shownOf(issued, { ...texts, stdout, stderr, again: again.stdout })).toEqual([]);
    const verdicts = (text: string) =>
      (JSON.parse(text) as ConformanceDocument).rules.map(({ id, verdict }) => [id, verdict]);
    expect(verdicts(again.stdout)).toEqual(verdicts(readFileSync(run, 'utf8')));
  },
);
