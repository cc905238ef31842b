import type { JudgedTarget } from '../../documents/base.ts';
import type { RuleVerdict } from '../../documents/rule-verdict.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { exitWords, headlineOf, INTERRUPTED_WORDS, nextStepOf } from '../text/headline.ts';
import { formatInstant, formatSpan } from '../text/quantities.ts';
import { RULE_MARKS, TONE_SIGNS } from '../text/tones.ts';
import { badge, command, type Fact, facts, shortText, signedBadge } from './blocks.ts';
import { type Content, html, type Markup } from './markup.ts';

/** Verdict of a rule as sign and word. */
export function verdictBadge(verdict: RuleVerdict): Markup {
  return signedBadge(...RULE_MARKS[verdict], verdict);
}

/** CSS class of a verdict. */
export function verdictClass(verdict: RuleVerdict): string {
  return RULE_MARKS[verdict][0];
}

/**
 * The head of the section `id`: subject, verdict, what comes first (numbers against their bounds, or the worst
 * finding), what to do next, what comes last, facts on how it was run in a line, and notes.
 */
export function verdictHeader(
  document: RunDocument,
  id: string,
  more: readonly (Fact | false)[],
  first: Content = null,
  last: Content = null,
): Markup {
  const { title, verdict, counts, tone, sentence, changes } = headlineOf(document);
  const exit = exitWords(document);
  const span = formatSpan(document.startedAt, document.finishedAt);
  const sign = html`<span class="glyph" aria-hidden="true">${TONE_SIGNS[tone]}</span>`;
  return html`<header class="verdict ${tone}">
    <h2 id="${id}-title">${shortText(title, 200)}</h2>
    <p class="verdict-words">${sign} ${shortText(verdict, 200)}${counts !== undefined && html`, <small>${counts}</small>`}</p>
    <p class="sentence">${withFlags(shortText(sentence))}
    ${exit !== null && html`<b>${withFlags(shortText(exitShort(exit, sentence), 400))}</b>`}</p>
    ${changes !== undefined && html`<p class="sentence">${withFlags(shortText(changes))}</p>`}
    ${document.interrupted === true && html`<p>${badge('caution', INTERRUPTED_WORDS)}</p>`}
    ${first}
    ${nextWords(document)}
    ${last}
    ${facts([
      ...more,
      ['run', `${formatInstant(document.startedAt)}, ${span}`],
      ['tool', `${document.tool.name} ${document.tool.version}`],
    ])}
    </header>
    ${notesList(document)}`;
}

/** Next step, with its command. */
function nextWords(document: RunDocument): Content {
  const { words, command: text } = nextStepOf(document) ?? {};
  if (words === undefined) return null;
  return html`<div class="next"><p><b>Next:</b> ${withFlags(shortText(words))}</p>
    ${text !== undefined && command(text)}</div>`;
}

/** The exit code alone where the sentence before says the reason. */
function exitShort(exit: string, sentence: string): string {
  const [code = '', ...reason] = exit.split(': ');
  const isSaid = sentence.toLowerCase().startsWith(reason.join(': ').toLowerCase());
  return isSaid ? `${code}.` : `${exit}.`;
}

/** Text whose flags, such as `--workers`, are not broken at a hyphen. */
function withFlags(text: string): Content {
  return text
    .split(/(--[a-z][a-z-]*)/)
    .map((part, at) => (at % 2 === 0 ? part : html`<span class="flag">${part}</span>`));
}

/** Facts on the target of a run. */
export function targetFacts({ name, baseUrl, environment }: JudgedTarget): Fact[] {
  const words = html`${shortText(name, 200)} <code>${shortText(baseUrl, 300)}</code>, ${shortText(environment, 100)}`;
  return [['target', words]];
}

/** The notes of a run to its reader; null if there are none. */
function notesList({ notes = [] }: RunDocument): Content {
  if (notes.length === 0) return null;
  const items = notes.slice(0, 50).map((note) => html`<li>${shortText(note)}</li>`);
  return html`<ul class="notes">${items}</ul>`;
}
