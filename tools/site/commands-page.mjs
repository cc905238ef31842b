import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));

/** Page of the commands: the help of each, as the command line prints it. */
export function commandsPage() {
  const overview = helpOf();
  const names = [...overview.matchAll(/^ {2}([a-z]+)(?: \[.*)?$|^ {2}([a-z]+) /gm)]
    .map(([, alone, first]) => alone ?? first ?? '')
    .filter((name) => name !== '' && name !== 'help');
  return [
    '# Commands',
    block(overview),
    ...[...new Set(names)].flatMap((name) => [`## ${name}`, block(helpOf(name))]),
  ].join('\n\n');
}

/** @param {string[]} command */
function helpOf(...command) {
  const env = { ...process.env, COLUMNS: '100', NO_COLOR: '1' };
  return execFileSync(process.execPath, [COMMAND, ...command, '--help'], { env, encoding: 'utf8' });
}

/** @param {string} text */
const block = (text) => `\`\`\`\`text\n${text.trimEnd()}\n\`\`\`\``;
