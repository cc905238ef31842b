import type { Check } from '../../contract/check.ts';
import { authorizationChecks } from './authorization.ts';
import { bodyChecks } from './body.ts';
import { credentialChecks } from './credentials.ts';
import { nostrChecks } from './fields.ts';
import { scopeEcho } from './response.ts';
import { timestampChecks } from './times.ts';

/** Checks of the area `token` (interface.md, "1. Request, refresh or exchange a token"). */
export const tokenChecks: readonly Check[] = [
  ...bodyChecks,
  ...timestampChecks,
  ...nostrChecks,
  ...credentialChecks,
  ...authorizationChecks,
  scopeEcho,
];
