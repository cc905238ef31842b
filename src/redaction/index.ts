export { type ProfileWithSecrets, secretLinesOf } from './profile-secrets.ts';
export { Redactor } from './redactor.ts';
export type { SecretKind } from './secret.ts';
