export { type ProfileWithSecrets, secretLinesOf } from './profile-secrets.ts';
export { type ReceivedText, Redactor, type StreamPiece } from './redactor.ts';
export type { SecretKind } from './secret.ts';
