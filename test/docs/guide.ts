import { parse } from 'yaml';

/** Pages that show how something is done: short, and with commands that work. */
export const GUIDES: readonly string[] = [
  'docs/getting-started.md',
  'docs/check.md',
  'docs/results.md',
  'docs/certify.md',
  'docs/load.md',
  'docs/compare.md',
  'docs/ci.md',
  'docs/distributed-load.md',
  'docs/library.md',
];

/** Page in which readers look things up; its commands work too. */
export const REFERENCE = 'docs/reference.md';

/** Addresses of the links and pictures of a page. */
export function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, address = '']) => address);
}

/** One thing that a reader of a page does, in the order of the page. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'command';
      readonly line: number;
      readonly text: string;
      readonly exitCode: number;
    }
  /** Lines that the command before prints, in this order; each may be part of a longer one. */
  | { readonly kind: 'output'; readonly lines: readonly string[] };

interface Block {
  readonly language: string;
  /** Line of the page at which its text begins. */
  readonly line: number;
  readonly text: string;
}

/** First line of a file's text, a comment with its name. */
const FILE_NAME = /^(?:#|\/\/) ([\w./-]+\.\w+)\n/;

const CI_JOB = /^\.github\/workflows\/|^\.gitlab-ci\.yml$/;

/**
 * Reads the steps of a Markdown page: the commands in `sh` blocks, the files in blocks whose first line
 * is a comment with a file name, and in `text` blocks what the command before prints. A command ends at
 * the end of its line, unless that ends with a backslash or the next line is indented; `# exit code 1`
 * behind it states its exit code, which else is 0. The scripts of a CI job
 * follow its file, and a test that the reports which it hands over are there.
 */
export function readSteps(page: string): Step[] {
  return blocksOf(page).flatMap((block): Step[] => {
    if (block.language === 'sh') return commandsOf(block);
    if (block.language === 'text') return [{ kind: 'output', lines: outputOf(block) }];
    const name = FILE_NAME.exec(block.text)?.[1];
    if (name === undefined) return [];
    const file: Step = { kind: 'file', name, text: block.text };
    return CI_JOB.test(name) ? [file, ...scriptsOf(block)] : [file];
  });
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', text = ''] = match;
    return { language, text, line: page.slice(0, match.index).split('\n').length + 1 };
  });
}

function commandsOf({ text, line }: Block): Step[] {
  const commands: { text: string; line: number }[] = [];
  for (const [at, one] of text.trimEnd().split('\n').entries()) {
    const last = commands.at(-1);
    if (last && (last.text.endsWith('\\') || /^\s+\S/.test(one))) last.text += `\n${one}`;
    else if (one !== '' && !one.startsWith('#')) commands.push({ text: one, line: line + at });
  }
  return commands.map((command) => ({
    kind: 'command',
    exitCode: Number(/# exit code (\d+)$/.exec(command.text)?.[1] ?? 0),
    ...command,
  }));
}

function outputOf({ text }: Block): string[] {
  return text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== '...');
}

/** A job of GitHub Actions has `steps` with `run`; one of GitLab CI has a `script`, and reports. */
interface Job {
  readonly steps?: readonly { readonly run?: string }[];
  readonly script?: readonly string[];
  readonly artifacts?: { readonly reports?: Readonly<Record<string, string>> };
}

function scriptsOf({ text, line }: Block): Step[] {
  const file = parse(text) as { readonly jobs?: Record<string, Job> } & Record<string, Job>;
  return Object.values(file.jobs ?? file)
    .flatMap(({ steps = [], script = [], artifacts }) => [
      ...steps.map(({ run }) => run),
      ...script,
      ...Object.values(artifacts?.reports ?? {}).map((path) => `test -s ${path}`),
    ])
    .flatMap((script) =>
      script === undefined ? [] : { kind: 'command', line, exitCode: 0, text: script },
    );
}
