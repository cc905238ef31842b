import { readFileSync } from 'node:fs';
import packageFile from '../../package.json' with { type: 'json' };

/** The Dockerfile of the repository. */
export const DOCKERFILE: string = readFileSync(
  new URL('../../Dockerfile', import.meta.url),
  'utf8',
);

/** Optional packages of the command; vitest is one of the library's matchers only. */
export const OPTIONAL: readonly string[] = Object.keys(packageFile.peerDependencies).filter(
  (name) => name !== 'vitest',
);

/** An instruction of a Dockerfile. */
export interface Instruction {
  /** In upper case, such as `RUN`. */
  readonly keyword: string;
  /** Its arguments as one line. */
  readonly text: string;
}

/** A stage of a Dockerfile, without the stages that it is built from. */
export interface Stage {
  /** Image or stage that it is built from. */
  readonly base: string;
  /** Empty for a stage without a name. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** Reads the stages of a Dockerfile. */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: { base: string; name: string; instructions: Instruction[] }[] = [];
  const lines = dockerfile.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  for (const [, keyword = '', text = ''] of lines.matchAll(/^([A-Z]+) (.*)$/gm)) {
    const [, base = '', name = ''] = /^(\S+)(?: AS (\S+))?$/i.exec(text) ?? [];
    if (keyword === 'FROM') stages.push({ base, name, instructions: [] });
    else stages.at(-1)?.instructions.push({ keyword, text });
  }
  return stages;
}

/** Instructions of a stage and of those that it is built from, in the order of the build. */
export function instructionsOf(stages: readonly Stage[], name: string): readonly Instruction[] {
  const stage = stages.find((one) => one.name === name);
  return stage === undefined ? [] : [...instructionsOf(stages, stage.base), ...stage.instructions];
}

/** Text of the last instruction of a kind, which is the one that counts. */
export function lastOf(instructions: readonly Instruction[], keyword: string): string {
  return instructions.findLast((one) => one.keyword === keyword)?.text ?? '';
}
