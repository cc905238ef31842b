import { type Command, Option } from 'commander';
import { TOOL } from '../../app/tool.ts';
import { type Io, print } from '../io.ts';

interface RulesOptions {
  json?: true;
  markdown?: true;
  openapi?: true;
}

/** Defines `fareproof rules`: prints the catalogue and the register of gaps. */
export function defineRules(command: Command, io: Io): void {
  command
    .addOption(new Option('--json', 'print JSON').conflicts(['markdown', 'openapi']))
    .addOption(new Option('--markdown', 'print Markdown tables').conflicts(['openapi']))
    .option('--openapi', 'print the OpenAPI 3.1 description of both endpoints instead')
    .addHelpText('after', '\nExample:\n  $ fareproof rules --markdown > rules.md')
    .action(async (options: RulesOptions) => {
      print(io, await renderRules(options));
    });
}

async function renderRules(options: RulesOptions): Promise<string> {
  const { GAPS, RULES, DEFAULT_BEHAVIOUR, DEFAULT_ERROR_STATUS, describeOpenApi } = await import(
    '../../interface/index.ts'
  );
  if (options.openapi) {
    return JSON.stringify(describeOpenApi('http://127.0.0.1:8080', TOOL.version), null, 2);
  }
  const gaps = GAPS.map((gap) => ({ ...gap, default: DEFAULT_BEHAVIOUR[gap.id] }));
  if (options.json) return JSON.stringify({ tool: TOOL, rules: RULES, gaps }, null, 2);
  if (options.markdown) {
    return [
      '| id | level | statement | section | needs |',
      '|---|---|---|---|---|',
      ...RULES.map(({ id, level, statement, section, needs }) =>
        row([id, level, statement, section, needs.join(', ') || '-']),
      ),
      '',
      '| gap | question | settings | default |',
      '|---|---|---|---|',
      ...gaps.map((gap) => row([gap.id, gap.question, gap.settings, JSON.stringify(gap.default)])),
    ].join('\n');
  }
  const width = Math.max(...RULES.map(({ id }) => id.length));
  return [
    `${RULES.length} rules`,
    ...RULES.map(
      ({ id, level, statement }) => `${id.padEnd(width)}  ${level.padEnd(6)}  ${statement}`,
    ),
    '',
    `${gaps.length} gaps: questions that the interface leaves open; observed, never judged`,
    ...gaps.flatMap(({ id, question, default: answer }) => [
      `${id.padEnd(width)}  ${question}`,
      `${' '.repeat(width)}  default: ${id === 'error-status' ? statusesOf(DEFAULT_ERROR_STATUS) : defaultOf(answer)}`,
    ]),
    '',
    '`fareproof rules --markdown` lists the other settings of each gap; `serve --behaviour FILE` sets them.',
  ].join('\n');
}

/** A default as a behaviour file has it, on one line. */
function defaultOf(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  return JSON.stringify(answer).replaceAll('"', '').replaceAll(/[:,]/g, '$& ');
}

/** The conditions of each status, such as `400 body-invalid, field-missing; 401 …`. */
function statusesOf(statuses: Readonly<Record<string, number>>): string {
  const conditions = Object.keys(statuses);
  return [...new Set(Object.values(statuses))]
    .map(
      (status) => `${status} ${conditions.filter((name) => statuses[name] === status).join(', ')}`,
    )
    .join('; ');
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
