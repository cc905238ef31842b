import { basename, dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import { observedSettings } from '../../conformance/index.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import { GAPS } from '../../interface/index.ts';
import { writeFiles } from '../files/write.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Writes the observed answers to the gaps as a behaviour file for `serve --behaviour`.
 *
 * @throws ConfigurationError `BEHAVIOUR_NOT_WRITABLE`
 */
export async function saveBehaviour(
  path: string,
  { gaps, target }: Pick<ConformanceDocument, 'gaps' | 'target'>,
  io: Surroundings,
): Promise<void> {
  const file = resolve(io.cwd, path);
  const failure = { code: 'BEHAVIOUR_NOT_WRITABLE', place: path, option: 'saveBehaviour' };
  await writeFiles(dirname(file), { [basename(file)]: behaviourFile(gaps, target.name) }, failure);
  io.note(`behaviour: ${path}`);
}

/** Renders a behaviour file: each gap with its question, the finding, and the setting. */
export function behaviourFile(gaps: ConformanceDocument['gaps'], target: string): string {
  const settings = observedSettings(gaps);
  const parts = settings.map(({ id, value, words }) => {
    const { question, settings: meaning } = GAPS.find((gap) => gap.id === id) ?? {};
    const setting =
      value === undefined ? [`# ${id}:`] : [stringify({ [id]: value }, { lineWidth: 0 }).trimEnd()];
    const seen = value === undefined ? `no setting for this: ${words}` : words;
    return [`# ${question}`, `# Settings: ${meaning}`, `# Seen: ${seen}`, ...setting].join('\n');
  });
  const head = [
    `# Answers to the gaps as observed on ${JSON.stringify(target)}; run them with`,
    '#   fareproof serve --behaviour FILE',
    '# A gap that was not observed is a comment; the server uses its default there.',
  ].join('\n');
  const isEmpty = settings.every(({ value }) => value === undefined);
  return `${[head, ...parts, ...(isEmpty ? ['{}'] : [])].join('\n\n')}\n`;
}
