import type { Behaviour } from './gaps.ts';
import type { SignatureSettings } from './signature.ts';

/** The part of a behaviour that the signature algorithm needs. */
export function signatureSettingsOf(behaviour: Behaviour): SignatureSettings {
  return {
    textZero: behaviour['text-zero-signed'],
    slashInList: behaviour['slash-in-list'],
    booleans: behaviour['signed-booleans-and-objects'],
    whitespace: behaviour['whitespace-trimmed'],
    emptyValues: behaviour['null-and-empty-list-signed'],
  };
}
