// Starts the NATS server of a load: TLS, JetStream, and an nkey for the controller and for each agent.
//
//   node deploy/broker.mjs HOST:PORT AGENT...
//
// The first start writes the folder broker/: the certificate of HOST (server.pem), nats.conf, and a file
// with the seed of an nkey for `controller` and each AGENT (NAME.nk). Copy server.pem and its own .nk file
// to each machine. A later start uses what is there. Needs nats-server and openssl.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createUser } from '@nats-io/nkeys';

const FOLDER = 'broker';

/**
 * Accounts that limit each side to its subjects; docs/distributed-load.md has them as a table.
 *
 * @param {{ controller: string, agents: Readonly<Record<string, string>>, group?: string }} keys public
 *   nkeys, those of agents by name
 * @returns {string}
 */
export function accountsOf({ controller, agents, group = 'default' }) {
  const own = `fareproof.${group}`;
  const readers = `$JS.API.CONSUMER.CREATE.fareproof-${group}.*.${own}`;
  /** @type {(nkey: string, publish: string[], subscribe: string[]) => string} */
  const user = (nkey, publish, subscribe) =>
    `{ nkey: ${nkey}, permissions: ${JSON.stringify({ publish, subscribe })} }`;
  const users = [
    user(
      controller,
      [
        ...['to', 'ping', 'inbox'].map((kind) => `${own}.${kind}.>`),
        `$JS.API.STREAM.CREATE.fareproof-${group}`,
        `${readers}.from.>`,
      ],
      [`${own}.join.* controllers`, `${own}.pong.>`, `${own}.controller.>`],
    ),
    ...Object.entries(agents).map(([name, nkey]) =>
      user(
        nkey,
        [
          `${own}.join.${name}`,
          ...['from', 'pong'].map((kind) => `${own}.${kind}.${name}.*`),
          `${readers}.to.${name}.*`,
        ],
        [`${own}.ping.${name}.*`, `${own}.inbox.${name}.>`],
      ),
    ),
  ];
  return `accounts { load { jetstream: enabled, users: [\n${users.join('\n')}\n] } }\n`;
}

/** Writes the folder of a broker. */
function setUp(
  /** @type {string} */ host,
  /** @type {string} */ port,
  /** @type {string[]} */ agents,
) {
  mkdirSync(FOLDER, { mode: 0o700 });
  // Of an address, the client compares the name of this machine too.
  const name = isIP(host) ? `IP:${host},DNS:localhost` : `DNS:${host}`;
  const certificate = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj /CN=${host} -addext subjectAltName=${name}`;
  const files = ['-keyout', `${FOLDER}/server.key`, '-out', `${FOLDER}/server.pem`];
  execFileSync('openssl', [...certificate.split(' '), ...files], { stdio: 'ignore' });
  const keyOf = (/** @type {string} */ user) => {
    const key = createUser();
    writeFileSync(`${FOLDER}/${user}.nk`, key.getSeed(), { mode: 0o600 });
    return key.getPublicKey();
  };
  const accounts = accountsOf({
    controller: keyOf('controller'),
    agents: Object.fromEntries(agents.map((agent) => [agent, keyOf(agent)])),
  });
  writeFileSync(
    `${FOLDER}/nats.conf`,
    `listen: "0.0.0.0:${port}"
max_payload: 8MB
jetstream { store_dir: "${FOLDER}/jetstream", max_memory_store: 256MB }
tls { cert_file: "${FOLDER}/server.pem", key_file: "${FOLDER}/server.key" }
${accounts}`,
  );
}

if (process.argv[1]?.endsWith('broker.mjs')) {
  const [address = '', ...agents] = process.argv.slice(2);
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  if (
    host === undefined ||
    port === undefined ||
    agents.length === 0 ||
    agents.includes('controller')
  ) {
    console.error('usage: node deploy/broker.mjs HOST:PORT AGENT...');
    process.exit(2);
  }
  if (!existsSync(FOLDER)) setUp(host, port, agents);
  const server = spawn('nats-server', ['--config', `${FOLDER}/nats.conf`], { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => server.kill(signal));
  server.on('exit', (code) => process.exit(code ?? 1));
}
