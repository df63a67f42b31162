/**
 * The line of a cell's magic, `%%pai_train NAME --option value ...`: read, changed, and put back.
 *
 * Rule 1: what is not changed stands as it stood, to the letter: a `{name}` of the notebook, quotes of one's own.
 * Rule 2: nothing of the cell below the line is touched, and its lines keep their order.
 * Rule 3: magics that run what is below them as a cell (`%%time`) stay above the line; they are no part of the script.
 */

import { asOption, quote, split } from './shlex.js';

/** A piece of the line. `option` is the long name of an option, and '' for the name of the job. */
export interface Part {
  readonly option: string;
  readonly value: string;
  readonly raw: string;
}

/** What a part is to be; a text that the line has already stays as it stands there. */
export type Setting = Omit<Part, 'raw'>;

/** The code cells above a cell, and the number in front of each, 0 where it did not run. */
export interface Above {
  readonly above: string[];
  readonly numbers: number[];
}

const MAGIC = '%%pai_train';
const AROUND = /^(?:\s*%%(?:time|capture|prun)(?!\w)[^\n]*\n)*/;
const FIRST = new RegExp(`(${AROUND.source}\\s*)%%pai_train(?!\\w)([^\\n]*)`);
const FLAGS = [
  'run',
  'form',
  'dry-run',
  'lint',
  'wait',
  'no-wait',
  'force',
  'notify',
  'no-notify',
  'quiet',
  'widget',
  'only-cell'
];
const OPTIONS = [
  'as',
  'tag',
  'backend',
  'image',
  'instance-type',
  'instance-count',
  'job-type',
  'role',
  'max-time',
  'max-cost',
  'max-unknown',
  'option',
  'input',
  'output',
  'param',
  'params',
  'mount-map',
  'odps-limit',
  'send',
  'return',
  'metric',
  'source-dir',
  'entry-point',
  'leave-out',
  'include',
  'requirements',
  'env',
  'pass-env',
  'compat',
  'command'
];
const SHORT: Readonly<Record<string, string>> = { i: 'input', o: 'output', p: 'param' };
const LETTERS: Readonly<Record<string, string>> = { input: '-i', output: '-o', param: '-p' };
const MODES: ReadonlySet<string> = new Set(['run', 'form', 'dry-run', 'lint']);

/** All options, by whether a value follows; tests/training/test_line_cases.py compares them with the magic's own. */
export const TAKES_VALUE: ReadonlyMap<string, boolean> = new Map([
  ...FLAGS.map((name): [string, boolean] => [name, false]),
  ...OPTIONS.map((name): [string, boolean] => [name, true])
]);

/** The parts of the line of this cell; none where it has no magic of ours, null where the magic cannot read them. */
export function parseLine(cell: string): Part[] | null {
  const words = split(FIRST.exec(cell)?.[2] ?? '');
  const parts: Part[] = [];
  for (let at = 0; words && at < words.length; at += 1) {
    const word = words[at];
    const [name, glued] = word ? flagOf(word.text) : [null, null];
    if (!word || name === null || (glued !== null && !TAKES_VALUE.get(name))) {
      return null;
    }
    const next = name !== '' && glued === null && TAKES_VALUE.get(name) ? words[(at += 1)] : null;
    if (next === undefined) {
      return null; // the value is missing
    }
    const raw = next ? `${word.raw} ${next.raw}` : word.raw;
    parts.push({ option: name, value: name === '' ? word.text : (next?.text ?? glued ?? ''), raw });
  }
  return words && parts;
}

/** The option that a word names, and the value that is glued to it; '' for a word that is none, null for an unknown. */
function flagOf(text: string): [string | null, string | null] {
  const short = /^-([iop])=?([^]*)$/.exec(text);
  if (short) {
    return [SHORT[short[1] ?? ''] ?? null, short[2] || null];
  }
  if (!text.startsWith('-') || text === '-') {
    return ['', null];
  }
  const [, typed = '', value = null] = /^--([^=]+)(?:=([^]*))?$/.exec(text) ?? [];
  const fitting = [...TAKES_VALUE.keys()].filter(name => name.startsWith(typed)); // as argparse has it
  const name = TAKES_VALUE.has(typed) ? typed : fitting.length === 1 ? fitting[0] : undefined;
  return [typed && name ? name : null, value];
}

/**
 * The line with these settings: the job's name, what else it said, then the rest in their order. Of the options of
 * `owned` only the settings count; `run` submits without a form.
 */
export function formatLine(
  parts: readonly Part[],
  owned: ReadonlySet<string>,
  settings: readonly Setting[],
  run: boolean
): string {
  const old = [...parts];
  const written = (setting: Setting): string => {
    const at = old.findIndex(part => part.option === setting.option && part.value === setting.value);
    return at < 0 ? asPart(setting) : (old.splice(at, 1)[0]?.raw ?? '');
  };
  const kept = parts.filter(({ option }) => !owned.has(option) && !(run && MODES.has(option)));
  const [names, others] = [settings.filter(({ option }) => !option), settings.filter(({ option }) => option)];
  const words = [...names.map(written), ...kept.map(({ raw }) => raw), ...others.map(written)];
  return [MAGIC, ...words, ...(run ? ['--run'] : [])].join(' ');
}

function asPart({ option, value }: Setting): string {
  return option === '' ? quote(value) : asOption(LETTERS[option] ?? `--${option}`, value, `--${option}`);
}

/** The cell with this line in the place of the one that it has, else above the script. */
export function replaceLine(cell: string, line: string): string {
  return FIRST.test(cell)
    ? cell.replace(FIRST, (_, before: string) => before + line)
    : cell.replace(AROUND, before => `${before}${line}\n`);
}

/** The cell as our magic sees it: of those around it, empty lines are left, so that every line keeps its number. */
export function withoutOuterMagics(cell: string): string {
  return cell.replace(AROUND, around => around.replace(/[^\n]/g, ''));
}
