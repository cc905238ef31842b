import type { TargetProfile } from '../interface/target-profile.ts';

/**
 * True for a target that begins a run without a memory of earlier ones, as its user says. With a control
 * API there are fresh partners instead.
 *
 * @param serviceRestarted what the user says of this run alone
 */
export function startsAnew(
  { local = false, control }: Pick<TargetProfile, 'local' | 'control'>,
  serviceRestarted = false,
): boolean {
  return serviceRestarted || (local && control === undefined);
}
