import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import { observedSettings, type ServiceResult } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { GAPS } from '../../../interface/index.ts';
import { type Io, note } from '../../io.ts';

/**
 * Writes what was observed of the gaps as a behaviour file, with which `serve --behaviour` runs as
 * the target does.
 *
 * @throws ConfigurationError `BEHAVIOUR_NOT_WRITABLE`
 */
export async function saveBehaviour(
  path: string,
  { gaps, target }: Pick<ServiceResult, 'gaps' | 'target'>,
  io: Io,
): Promise<void> {
  const absolute = resolve(io.cwd, path);
  try {
    await mkdir(dirname(absolute), { recursive: true });
    await writeFile(absolute, behaviourFile(gaps, target.name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(
      'BEHAVIOUR_NOT_WRITABLE',
      `${path}: the behaviour cannot be written there (${code}); name another file with --save-behaviour.`,
      { cause: error },
    );
  }
  note(io, `behaviour: ${path}`);
}

/** A behaviour file: each gap with its question, what was seen, and its setting. */
export function behaviourFile(gaps: ServiceResult['gaps'], target: string): string {
  const settings = observedSettings(gaps);
  const parts = settings.map(({ id, value, words }) => {
    const { question, settings: meaning } = GAPS.find((gap) => gap.id === id) ?? {};
    const setting =
      value === undefined ? [`# ${id}:`] : [stringify({ [id]: value }, { lineWidth: 0 }).trimEnd()];
    const seen = value === undefined ? `nothing that a setting says: ${words}` : words;
    return [`# ${question}`, `# Settings: ${meaning}`, `# Seen: ${seen}`, ...setting].join('\n');
  });
  const head = [
    `# Answers to the gaps as observed on ${JSON.stringify(target)}; run them with`,
    '#   fareproof serve --behaviour FILE',
    '# What was not seen stands as a comment: there the server takes its own default.',
  ].join('\n');
  const isEmpty = settings.every(({ value }) => value === undefined);
  return `${[head, ...parts, ...(isEmpty ? ['{}'] : [])].join('\n\n')}\n`;
}
