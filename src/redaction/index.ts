export { Redactor } from './redactor.ts';
export type { SecretKind } from './secret.ts';
