import { FareproofError } from '../../interface/errors.ts';
import type { ServiceResult } from './build-result.ts';
import { TARGET_UNREACHABLE } from './wire/reachability.ts';

/** Thrown for a target that does not answer, with the result of the run until then. */
export class UnreachableTarget extends FareproofError {
  readonly result: ServiceResult;

  constructor(result: ServiceResult, cause: Error) {
    super(TARGET_UNREACHABLE, cause.message, { cause });
    this.result = result;
  }
}
