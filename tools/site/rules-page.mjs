import { DEFAULT_BEHAVIOUR, GAPS, RULES } from '../../build/interface/index.js';
import { cell } from './cell.mjs';

const TITLES = { service: 'Rules for a service', client: 'Rules for a client' };

/** Page of the catalogue: an anchor for each rule and each gap, which is its id. */
export function rulesPage() {
  return [
    '# Rules and gaps',
    'Each rule cites the section of the [interface](docs/interface.md) that states it. `must` rules fail, `should` rules warn. Ids are permanent.',
    ...Object.entries(TITLES).flatMap(([side, title]) => [
      `## ${title}`,
      ...RULES.filter((rule) => rule.side === side).flatMap(ruleSection),
    ]),
    '## Gaps',
    'What the interface leaves open. A check observes these answers, and judges none of them.',
    ...GAPS.flatMap(({ id, question, settings }) => [
      `### <a id="${id}"></a>${id}`,
      question,
      `Settings of the reference server: ${cell(settings)}. Default: \`${JSON.stringify(DEFAULT_BEHAVIOUR[id])}\`.`,
    ]),
  ].join('\n\n');
}

/** @param {import('../../build/interface/index.js').Rule} rule */
function ruleSection({ id, level, statement, section, needs }) {
  return [
    `### <a id="${id}"></a>${id}`,
    statement,
    [
      `Level: \`${level}\`.`,
      `Section: [${section}](docs/interface.md#${anchorOf(section)}).`,
      needs.length === 0 ? '' : `Needs: ${needs.map((need) => `\`${need}\``).join(', ')}.`,
    ].join(' '),
    `\`fareproof ${id.startsWith('client/') ? 'certify' : 'check'} --rule ${id}\` judges it alone.`,
  ];
}

/** @param {string} heading */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-');
