import type { RunDocument } from '../documents/run-document.ts';
import { cutText, escapeMarkdown, markdownBlock, markdownCode } from './escape.ts';
import { blocksOf } from './text/blocks.ts';
import type { Block, Cell, Column } from './text/columns.ts';
import {
  exitWords,
  headlineOf,
  INTERRUPTED_WORDS,
  nextStepOf,
  verdictWords,
} from './text/headline.ts';
import { formatInstant, formatSpan } from './text/quantities.ts';
import type { Tone } from './text/tones.ts';

/** Sign of each tone. */
export const EMOJI: Readonly<Record<Tone, string>> = {
  good: '✅',
  bad: '❌',
  caution: '⚠️',
  unknown: '❔',
  neutral: '📏',
};

/** Characters of a text from a target: GitHub takes a mebibyte for a job summary. */
const TEXT_LIMIT = 2000;

/** Renders run documents in GitHub's Markdown, such as for `$GITHUB_STEP_SUMMARY`. */
export function toMarkdown(...documents: readonly RunDocument[]): string {
  return documents.map(documentText).join('\n');
}

function documentText(document: RunDocument): string {
  const headline = headlineOf(document);
  const { title, tone, sentence, changes, remedies } = headline;
  const exit = exitWords(document);
  const { words = '', command } = nextStepOf(document) ?? {};
  const { tool, startedAt, finishedAt } = document;
  const footer = [
    escapeMarkdown(`${tool.name} ${tool.version}`),
    formatInstant(startedAt),
    formatSpan(startedAt, finishedAt),
  ];
  return [
    `## ${EMOJI[tone]} ${escapeMarkdown(title)}: ${escapeMarkdown(verdictWords(headline))}\n`,
    `${escapeMarkdown(sentence)}\n`,
    ...(changes === undefined ? [] : [`${escapeMarkdown(changes)}\n`]),
    ...(remedies === undefined ? [] : [`${escapeMarkdown(remedies)}\n`]),
    ...(command === undefined ? [] : commandParts(`Next: ${escapeMarkdown(words)}`, command)),
    ...(exit === null ? [] : [`**${escapeMarkdown(exit)}**\n`]),
    ...(document.interrupted === true ? [`**${INTERRUPTED_WORDS}**\n`] : []),
    ...blocksOf(document).flatMap(blockParts),
    ...(document.notes ?? []).map((note) => `> ${escapeMarkdown(note)}\n`),
    `<sub>${footer.join(' · ')}</sub>\n`,
  ].join('\n');
}

function blockParts(block: Block): string[] {
  if ('rows' in block) {
    const heading = block.title === '' ? [] : [`${escapeMarkdown(block.title)}:\n`];
    return block.rows.length === 0 ? [] : [...heading, table(block.columns, block.rows)];
  }
  const { finding, isFolded } = block;
  const shown = block.facts.filter(([, words]) => words !== '');
  if (shown.length === 0) return [];
  const title = cellText(block.title, false);
  const list = shown
    .filter(([name]) => !COMMANDS.includes(name))
    .map(([name, words]) => `- ${escapeMarkdown(name)}: ${linesOf(words)}`);
  if (isFolded)
    return [
      `<details><summary>${title} (${list.length})</summary>\n\n${list.join('\n')}\n\n</details>\n`,
    ];
  const heading = finding ? `### ${EMOJI[finding.tone]} ${title}\n` : title && `${title}:\n`;
  const commands = shown
    .filter(([name]) => COMMANDS.includes(name))
    .flatMap(([name, words]) => commandParts(name, words));
  return [...(heading === '' ? [] : [heading]), ...list, '', ...commands];
}

/** Names of facts that are commands. */
const COMMANDS = ['reproduce', 'rerun', 'replay'];

/** A command as a block to copy: in code within a line, some characters are escaped. */
const commandParts = (name: string, text: string): string[] => [
  `${name}:\n`,
  markdownBlock(cutText(text, TEXT_LIMIT), 'sh'),
];

const linesOf = (words: string): string =>
  cutText(words, TEXT_LIMIT).split('\n').map(escapeMarkdown).join('<br>');

/** A table; nothing without rows. */
export function optionalTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] = [],
): string[] {
  return rows.length === 0 ? [] : [table(columns, rows)];
}

/** A table in GitHub's Markdown. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map(({ numeric }) => (numeric === true ? '--:' : '---'))),
    ...rows.map((row, index) =>
      line(columns.map(({ cell, numeric }) => cellText(cell(row, index), numeric === true))),
    ),
    '',
  ].join('\n');
}

/** @param isNumber a formatted number, in which nothing is to be escaped */
function cellText(cell: Cell, isNumber: boolean): string {
  if (typeof cell === 'string') return isNumber ? cell : shortened(cell);
  return 'code' in cell ? markdownCode(cell.code) : `${EMOJI[cell.tone]} ${cell.words}`;
}

function shortened(text: string): string {
  return escapeMarkdown(cutText(text, TEXT_LIMIT));
}
