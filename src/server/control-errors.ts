import { DEFAULT_BEHAVIOUR } from '../interface/index.ts';
import { ErrorWriter } from './messages.ts';

/** Errors of the control API and of metrics; the gaps' settings do not change them. */
export const CONTROL_ERRORS: ErrorWriter = new ErrorWriter(DEFAULT_BEHAVIOUR);
