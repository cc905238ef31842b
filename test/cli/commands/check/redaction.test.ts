import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/server/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { partsOf, SHOWN, shownIn, spelledIn } from '../../../support/leaks.ts';
import fc from '../../../support/property.ts';
import { JSON_SPELLINGS, SPELLINGS, WHOLE_SPELLINGS } from '../../../support/spellings.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const RULES =
  'token/nostr-length token/refresh-token-unknown token/response-* estimate/platform estimate/user auth/*'
    .split(' ')
    .flatMap((glob) => ['--rule', glob]);

/** Characters that a header can carry, some of which every format escapes. */
const inHeader = (prefix: string): fc.Arbitrary<string> =>
  fc
    .string({
      minLength: 12,
      maxLength: 40,
      unit: fc.constantFrom(...Array.from('abcXYZ0189-._~+/=&<>"\'\\%{}')),
    })
    .map((text) => prefix + text);

const anyText = fc
  .string({
    minLength: 12,
    maxLength: 40,
    unit: fc.constantFrom(...Array.from('abcXYZ019+/=&<>"\'\\% ä中😀')),
  })
  .filter((text) => text.trim() === text);

type Spell = (text: string) => string;

const cases = fc.record({
  keys: fc.tuple(anyText, anyText),
  codes: fc.uniqueArray(inHeader('c'), { minLength: 4, maxLength: 4 }),
  header: inHeader('h'),
  cookie: inHeader('k').map((text) => text.replace(/[;="\\]/g, '-')),
  inJson: fc.constantFrom(...JSON_SPELLINGS),
  spell: fc.oneof(
    fc.tuple(fc.constantFrom(...SPELLINGS), fc.constantFrom(...SPELLINGS)).map(
      ([inner, outer]): Spell =>
        (text) =>
          outer(inner(text)),
    ),
    fc.constantFrom(...WHOLE_SPELLINGS),
  ),
});

/** Writes each text of a JSON value in one spelling. */
function respelled(value: unknown, spell: Spell): string {
  if (typeof value === 'string') return `"${spell(value)}"`;
  if (Array.isArray(value)) return `[${value.map((one) => respelled(one, spell)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${respelled(one, spell)}`,
  );
  return `{${pairs.join(',')}}`;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Secrets of a message: parts of Authorization, and fields of its body. */
function secretsOf(header: string, body: string): string[] {
  const [, pair = ''] = /^Bearer (.*)$/.exec(header) ?? [];
  const [, ...credentials] = pair.split('|');
  let fields: Record<string, unknown> = {};
  try {
    fields = JSON.parse(body) as Record<string, unknown>;
  } catch {
    // A query, or a body that is broken on purpose.
  }
  const named = ['auth_code', 'refresh_token', 'access_token'].map((name) => fields?.[name]);
  return [...credentials.map((text) => text.replace(/ openid$/, '')), ...named].filter(
    // A check sends words such as `undefined` in place of a token, and names them.
    (text): text is string =>
      typeof text === 'string' && text.length >= SHOWN && !/^[a-z]+$/.test(text),
  );
}

async function expectNothingShown(one: typeof cases extends fc.Arbitrary<infer T> ? T : never) {
  const folder = temporaryFolder();
  const partners = one.keys.map((signingKey, at) => ({
    id: `p-${at}`,
    signingKey,
    use: 'general' as const,
    authCodes: one.codes.slice(2 * at, 2 * at + 2),
  }));
  const server = await startServer({ partners });
  const secrets = new Set([...one.keys, ...one.codes, one.header, one.cookie]);

  // A rule finds a wrong value and quotes it.
  const withEcho = (json: object): object =>
    'token_type' in json ? { ...json, token_type: [...secrets].slice(-3).join(' ') } : json;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers, url = '' } = request;
    const body = await readBody(request);
    for (const secret of secretsOf(headers.authorization ?? '', body)) secrets.add(secret);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = plainRequest(server.baseUrl + url, { method, headers, agent: false }, resolve);
      onward.on('error', reject).end(body);
    });
    const text = await readBody(answer);
    for (const secret of secretsOf('', text)) secrets.add(secret);
    const echo = [...secrets].map(one.spell);
    const status = answer.statusCode ?? 500;
    const told = Buffer.from(`${echo.at(-1)} ${echo[0]}`).toString('latin1');
    response.setHeader('X-Echo', told.replace(/[^\t\x20-\xff]/g, ' '));
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.statusCode = status;
    const page = `<p>${echo.join('</p><p>')}</p>`;
    response.end(status === 200 ? respelled(withEcho(JSON.parse(text)), one.inJson) : page);
  };
  const front = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    front.closeAllConnections();
    front.close();
    await server.close(0);
  });
  const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const headers = { 'X-Gate': `Bearer ${one.header}`, Cookie: `session=${one.cookie}` };
  const estimates = { plain: { product_type: 'private-car', ride_type: 'compact' } };
  const profile = { name: 'echo', baseUrl, partners, headers, estimates };
  writeFileSync(join(folder, 'profile.yaml'), JSON.stringify(profile));

  const args = ['check', '--target', 'profile.yaml', '--out', 'out', '--seed', '1', ...RULES];
  const { stdout, stderr } = await runCaptured(args, { cwd: folder });
  const files = readdirSync(join(folder, 'out')).map(
    (name) => [name, readFileSync(join(folder, 'out', name), 'utf8')] as const,
  );
  expect(files.map(([name]) => name).sort()).toEqual([
    'junit.xml',
    'report.html',
    'run.json',
    'summary.md',
  ]);
  const [, run = ''] = files.find(([name]) => name === 'run.json') ?? [];
  expect(run).toMatch(/\[access_token \d+\]/);
  expect(spelledIn(run, secrets, [one.spell, one.inJson])).toEqual([]);
  const parts = partsOf(secrets);
  for (const [name, text] of [...files, ['stdout', stdout], ['stderr', stderr]] as const) {
    expect([name, shownIn(text, parts)]).toEqual([name, []]);
  }
}

it.each(fc.sample(cases, { numRuns: 5, seed: 2 }))(
  'no file and no line of a run shows 8 characters of a secret that its target echoes (%#)',
  { tags: ['long'] },
  expectNothingShown,
);
