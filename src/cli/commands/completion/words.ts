import type { Command, Option } from 'commander';
import { suiteNames } from '../../../app/files/suites.ts';
import { CLIENT_RULES, SERVICE_RULES } from '../../../interface/catalogue.ts';

/** Flag of a command, as a shell completes it. */
export interface FlagWords {
  /** Long form, such as `--rule`. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** Values to choose from; none if any file or text may follow. */
  readonly values: readonly string[];
}

/** Command, as a shell completes it. */
export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagWords[];
  /** Choices of its argument. */
  readonly values: readonly string[];
}

/** Reads what can be completed from the definitions of all commands. */
export function readWords(program: Command): readonly CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: command.options
      .filter(({ long }) => long !== undefined)
      .map((option) => ({
        name: option.long ?? '',
        description: option.description,
        takesValue: option.required || option.optional,
        values: valuesOf(command.name(), option),
      })),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }));
}

function valuesOf(command: string, { long, argChoices }: Option): readonly string[] {
  if (argChoices) return argChoices;
  const services = SERVICE_RULES.map(({ id }) => id);
  if (long === '--rule' && command === 'check') return services;
  if (long === '--rule' || long === '--fault')
    return [...services, ...CLIENT_RULES.map(({ id }) => id)];
  if (long === '--suite') return suiteNames(command === 'load' ? 'load' : 'service');
  return long === '--scenario' ? suiteNames('client') : [];
}
