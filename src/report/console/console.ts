import type { RunDocument } from '../../documents/run-document.ts';
import { cutText, escapeTerminalLine } from '../escape.ts';
import { blocksOf } from '../text/blocks.ts';
import { type Block, cellText } from '../text/columns.ts';
import { exitWords, headlineOf, INTERRUPTED_WORDS, nextStepOf } from '../text/headline.ts';
import { countOf, formatSpan } from '../text/quantities.ts';
import { suiteWords } from '../text/rule-words.ts';
import { labelled, type Paint, paint, section, tableSection, wrapped } from './layout.ts';

/**
 * Renders a run document for a terminal: verdict and completeness, what is broken and how to
 * reproduce it, then the rest. Ends with a line feed.
 *
 * @param color true for ANSI colours
 * @param columns width of the terminal; left out, lines are as long as they are
 */
export function toConsole(
  document: RunDocument,
  {
    color,
    columns = Number.POSITIVE_INFINITY,
  }: { readonly color: boolean; readonly columns?: number | undefined },
): string {
  const lines = documentLines(document, paint(color, columns));
  const all = lines.flatMap((line) => line.split('\n')).flatMap((line) => wrapped(line, columns));
  return `${all.join('\n')}\n`;
}

function documentLines(document: RunDocument, paints: Paint): string[] {
  const headline = headlineOf(document);
  const { title, verdict, counts, tone, sentence, changes, remedies } = headline;
  const isWord = /^[A-Za-z ]+$/.test(verdict);
  const shown = paints[tone](paints.bold(isWord ? verdict.toUpperCase() : verdict));
  const exit = exitWords(document);
  const { words = '', command } = nextStepOf(document) ?? {};
  return [
    `${shown}${counts === undefined ? '' : `, ${counts}`}  ${escapeTerminalLine(title)}`,
    escapeTerminalLine(sentence),
    ...(changes === undefined ? [] : [escapeTerminalLine(changes)]),
    ...(remedies === undefined ? [] : [escapeTerminalLine(remedies)]),
    paints.dim(escapeTerminalLine(contextOf(document))),
    ...(document.interrupted === true ? [paints.caution(INTERRUPTED_WORDS)] : []),
    ...bodyLines(document, paints),
    ...(document.notes ?? []).map((text) => `note  ${escapeTerminalLine(text)}`),
    ...(command === undefined
      ? []
      : section(escapeTerminalLine(`Next: ${words}`), [`  ${escapeTerminalLine(command)}`])),
    ...(exit === null ? [] : ['', escapeTerminalLine(exit)]),
  ];
}

function contextOf(document: RunDocument): string {
  const span = formatSpan(document.startedAt, document.finishedAt);
  switch (document.kind) {
    case 'conformance': {
      const { orders, seed, target } = document;
      return [
        `${target.baseUrl} (${target.environment})`,
        `suite ${suiteWords(document)}`,
        ...(orders === undefined ? [] : [`orders ${orders ?? 'not declared'}`]),
        `seed ${seed}`,
        span,
      ].join(' · ');
    }
    case 'load':
      return `${document.target.baseUrl} · ${document.model} model · ${document.engine} · ${span}`;
    case 'find-max': {
      const trials = countOf(document.trials.length, 'trial');
      return `${document.target.baseUrl} · ${document.objective} · ${trials} · ${span}`;
    }
    case 'rule-comparison':
      return `two ${document.side === 'client' ? 'certifications' : 'checks'}, rule by rule`;
    case 'load-set':
    case 'comparison':
    case 'bench':
      return span;
  }
}

function bodyLines(document: RunDocument, paints: Paint): string[] {
  const runs = document.kind === 'load-set' ? document.runs : [];
  return [
    ...blocksOf(document).flatMap((block) => blockLines(block, paints)),
    ...runs.flatMap((run) => ['', ...documentLines(run, paints)]),
  ];
}

/** Characters of a text from a target. */
const TEXT_LIMIT = 4000;

function blockLines(block: Block, paints: Paint): string[] {
  if ('rows' in block) return tableSection(block, paints);
  const { finding, title } = block;
  const facts = block.facts.filter(([, words]) => words !== '');
  const width = Math.max(...facts.map(([name]) => name.length));
  const name = escapeTerminalLine(cellText(title), TEXT_LIMIT);
  const level = finding?.level === undefined ? '' : `  ${paints.dim(`(${finding.level})`)}`;
  return section(
    finding ? `${paints[finding.tone](finding.words)}  ${paints.bold(name)}${level}` : name,
    facts.map(([label, words]) => labelled(label, cutText(words, TEXT_LIMIT), width)),
  );
}
