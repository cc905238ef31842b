import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import type { Io } from '../../io.ts';

/** A variable of the environment that is asked for where it is not set. */
export interface Question {
  readonly variable: string;
  readonly words: string;
}

/** Takes what is echoed: the last answer is a secret. */
const NOWHERE = new Writable({ write: (_text, _encoding, done) => done() });

/**
 * Asks on a terminal for the variables that the environment lacks, without showing what is typed. Elsewhere, and
 * when the input ends, they stay missing.
 */
export async function withAnswers(
  questions: readonly Question[],
  { env, stdin, stderr, interactive }: Pick<Io, 'env' | 'stdin' | 'stderr' | 'interactive'>,
): Promise<Io['env']> {
  const missing = questions.filter(({ variable }) => !env[variable]);
  const isTerminal = interactive && (stdin as Partial<ReadStream>).isTTY === true;
  if (missing.length === 0 || !isTerminal) return env;
  const lines = createInterface({ input: stdin, output: NOWHERE, terminal: true });
  lines.once('SIGINT', () => lines.close());
  const typed = lines[Symbol.asyncIterator]();
  const answers: Record<string, string> = {};
  try {
    for (const { variable, words } of missing) {
      stderr.write(`${words}: `);
      const line = await typed.next();
      stderr.write('\n');
      if (line.done) break;
      answers[variable] = line.value.trim();
    }
  } finally {
    lines.close();
  }
  return { ...env, ...answers };
}
