import type { ConformanceDocument } from '../../documents/conformance.ts';
import { headlineOf } from '../text/headline.ts';
import type { TextFact } from '../text/load-words.ts';
import { TONE_SIGNS } from '../text/tones.ts';
import { command, facts, shortText } from './blocks.ts';
import { html, type Markup } from './markup.ts';

/** The seal of a certificate: what it says of itself, and the command that verifies it. */
export interface CertificateSeal {
  readonly facts: readonly TextFact[];
  readonly verify: string;
}

/** A certificate to be framed: whose it is, what it states, how it is verified. */
export function certificateHead(document: ConformanceDocument, seal: CertificateSeal): Markup {
  const { client, target } = document;
  const { name = null, version = null, partner = null } = client ?? {};
  const { verdict, counts, tone } = headlineOf(document);
  const words = [
    ['client', name ?? target.name],
    ['version', version],
    ['partner', partner],
  ] as const;
  return html`<header class="certificate ${tone}">
    <p class="meta">Certificate of a client</p>
    <h1>${shortText(name ?? target.name, 200)} ${version !== null && shortText(version, 100)}</h1>
    <p class="verdict-words"><span class="glyph" aria-hidden="true">${TONE_SIGNS[tone]}</span> ${verdict}, <small>${counts}</small></p>
    ${facts([...words, ...seal.facts].map(([label, text]) => [label, text && shortText(text, 1000)]))}
    <p>The owner of the key vouches for it; nothing binds it to a binary of the client. To verify it:</p>
    ${command(seal.verify)}
    </header>`;
}
