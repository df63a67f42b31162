/**
 * A hyperparameter's value as text: how it is shown, and whether it is wrong. Pure.
 *
 * `pai_jupyter/hyperparameters/values.py` decides in the end; here is what can be said at once, beside the field, in
 * the words of the form's model (`rule`). `tests/data/value_cases.json` tests both.
 */

import type { HyperparameterRow } from '../panel/protocol.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { hasBreak } from './shlex.js';

const LONGEST = 500; // characters of a sentence
const NULL = /^(None|null)$/;
const INFINITE = /^[-+]?inf(inity)?$/i;
const NOT_A_NUMBER = /^[-+]?nan$/i;

/** A value as the line has it, which Python reads back; no value is ''. */
export function textOf(value: unknown): string {
  switch (typeof value) {
    case 'boolean':
      return value ? 'True' : 'False';
    case 'string':
      return value;
    case 'number':
      return String(value);
    default:
      return value === null || value === undefined ? '' : JSON.stringify(value);
  }
}

/** Whether two texts are the same value of this kind: "1e-3" and "0.001" are. */
export function isSame({ kind }: HyperparameterRow, one: string, other: string): boolean {
  const isNumber = (kind === 'int' || kind === 'float') && one.trim() !== '' && other.trim() !== '';
  return one === other || (isNumber && Number(one) === Number(other));
}

/** What is wrong with this text as a value, a sentence; '' where nothing is. The default is right, whatever it is. */
export function valueError(row: HyperparameterRow, text: string, say: Say): string {
  if (text === textOf(row.default)) {
    return '';
  }
  if (hasBreak(text)) {
    return say('Line breaks are not allowed. Put the values in a JSON file and pass it with --params FILE');
  }
  const rule = plain(row.rule, LONGEST);
  if (row.kind !== 'str' && text.trim() === '') {
    // no value, unless the script would go on with one
    const value = plain(row.default_text, 100);
    return row.default === null ? '' : say('{rule}. The default is {value}.', { rule, value });
  }
  return isValid(row, text) ? '' : rule;
}

/** Whether this text, which is not empty, is a value of this hyperparameter. */
export function isValid(row: HyperparameterRow, text: string): boolean {
  if (row.choices.length) {
    return row.choices.some(choice => isSame(row, textOf(choice), text));
  }
  return (row.nullable && NULL.test(text.trim())) || (isOfKind(row, text.trim()) && isInRange(row, text));
}

function isOfKind({ kind }: HyperparameterRow, text: string): boolean {
  switch (kind) {
    case 'int':
      return Number.isInteger(numberIn(text));
    case 'float':
      return !Number.isNaN(numberIn(text)) || NOT_A_NUMBER.test(text);
    case 'bool':
      return /^(true|false|yes|no|1|0)$/i.test(text);
    case 'json':
      return isStructure(text);
    case 'str':
      return true;
  }
}

/** The number that this is as Python writes them; nan for what is none, be it "nan" itself or "0x10". */
function numberIn(text: string): number {
  if (INFINITE.test(text)) {
    return text.startsWith('-') ? -Infinity : Infinity;
  }
  const digits = text.replace(/(?<=\d)_(?=\d)/g, ''); // 1_000
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(digits) ? Number(digits) : NaN;
}

function isStructure(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** Of text, the bounds are those of its length; nan is in no range. */
function isInRange(row: HyperparameterRow, text: string): boolean {
  const { kind, minimum, maximum, open_minimum: isAbove, open_maximum: isBelow } = row;
  const size = kind === 'str' ? [...text].length : numberIn(text.trim());
  const isAtLeast = minimum === null || (isAbove ? size > minimum : size >= minimum);
  const isAtMost = maximum === null || (isBelow ? size < maximum : size <= maximum);
  return kind === 'json' || kind === 'bool' || (isAtLeast && isAtMost);
}
