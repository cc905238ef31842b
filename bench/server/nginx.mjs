import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {{ cert: string, key: string }} Certificate paths of a certificate and its key, in PEM */

/**
 * Starts an nginx with one worker that answers every request with that body, from memory.
 *
 * @param {string} folder is made for its files
 * @param {string} body
 * @param {string[]} onCore
 * @param {Certificate} [certificate] has it speak HTTPS
 */
export async function startNginx(folder, body, onCore, certificate) {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const port = await freePort();
  // A dollar sign starts a variable in nginx; an estimate has none.
  const text = body.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const tls =
    certificate === undefined
      ? ''
      : ` ssl; ssl_certificate ${certificate.cert}; ssl_certificate_key ${certificate.key}`;
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error')};
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600; server_tokens off;
  ${paths.join(' ')}
  server {
    listen 127.0.0.1:${port}${tls};
    default_type 'application/json; charset=utf-8';
    location / { return 200 '${text}'; }
  }
}
`,
  );
  const [program, ...args] = [
    ...onCore,
    'nginx',
    '-e',
    join(folder, 'error'),
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
  ];
  const master = spawn(program ?? '', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  await answering(port);
  const pid = master.pid ?? 0;
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .trim()
    .split(/\s+/)
    .map(Number);
  return { port, pids: workers, stop: () => void master.kill('SIGTERM') };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {{ port: number }} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @param {number} port */
async function answering(port) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false)).on('connect', () => socket.end());
    });
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('nginx does not listen');
}
