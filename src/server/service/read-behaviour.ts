import {
  type Behaviour,
  type BehaviourInput,
  behaviourSchema,
  ConfigurationError,
} from '../../interface/index.ts';

/**
 * Reads answers to the gaps; those left out have their defaults.
 *
 * @throws ConfigurationError `BEHAVIOUR_INVALID`
 */
export function readBehaviour(input: BehaviourInput): Behaviour {
  const parsed = behaviourSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigurationError(
    'BEHAVIOUR_INVALID',
    `behaviour: ${issue?.path.join('.')}: ${issue?.message}; see the settings of that gap.`,
    { cause: parsed.error },
  );
}
