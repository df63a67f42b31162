/**
 * A hyperparameter's value as text: how it is shown, and what is wrong with it. Pure.
 *
 * `pai_jupyter/hyperparameters/values.py` decides in the end; here is what can be said at once, beside the field.
 */

import type { HyperparameterRow } from '../panel/protocol.js';
import { formatNumber } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { hasBreak } from './shlex.js';

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
  if (row.kind !== 'str' && text.trim() === '') {
    // no value, unless the script would go on with one
    return row.default === null
      ? ''
      : say('This must not be empty. The default is {value}.', {
          value: plain(textOf(row.default), 100)
        });
  }
  if (row.choices.length) {
    const isChoice = row.choices.some(choice => isSame(row, textOf(choice), text));
    return isChoice ? '' : say('Choose one of the options.');
  }
  if (row.nullable && NULL.test(text.trim())) {
    return '';
  }
  return kindComplaint(row, text.trim(), say) || rangeComplaint(row, text, say);
}

function kindComplaint({ kind }: HyperparameterRow, text: string, say: Say): string {
  switch (kind) {
    case 'int':
      return Number.isInteger(numberIn(text)) ? '' : say('This must be a whole number.');
    case 'float':
      return Number.isNaN(numberIn(text)) && !NOT_A_NUMBER.test(text) ? say('This must be a number.') : '';
    case 'bool':
      return /^(true|false|yes|no|1|0)$/i.test(text) ? '' : say('This must be True or False.');
    case 'json':
      return isStructure(text) ? '' : say('This must be a list or a dict as JSON, e.g. [1, 2].');
    case 'str':
      return '';
  }
}

/** The number that this is as Python writes them; nan for what is none, be it "nan" itself or "0x10". */
function numberIn(text: string): number {
  if (INFINITE.test(text)) {
    return text.startsWith('-') ? -Infinity : Infinity;
  }
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

function isStructure(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** Of text, the bounds are those of its length. */
function rangeComplaint(row: HyperparameterRow, text: string, say: Say): string {
  const { kind, minimum, maximum, open_minimum: isAbove, open_maximum: isBelow } = row;
  const size = kind === 'str' ? [...text].length : numberIn(text.trim());
  const isLow = minimum !== null && !(isAbove ? size > minimum : size >= minimum); // nan is in no range
  const isHigh = maximum !== null && !(isBelow ? size < maximum : size <= maximum);
  if (kind === 'json' || kind === 'bool' || !(isLow || isHigh)) {
    return '';
  }
  const bounds = { minimum: boundText(minimum), maximum: boundText(maximum) };
  if (kind === 'str') {
    return say('This must be of {minimum} to {maximum} characters.', bounds);
  }
  if (minimum !== null && maximum !== null && !isAbove && !isBelow) {
    return say('This must be between {minimum} and {maximum}.', bounds);
  }
  if (isLow) {
    return isAbove ? say('This must be above {minimum}.', bounds) : say('This must be at least {minimum}.', bounds);
  }
  return isBelow ? say('This must be below {maximum}.', bounds) : say('This must be at most {maximum}.', bounds);
}

/** A bound as people read it; '…' where there is none. */
export function boundText(bound: number | null): string {
  return bound === null ? '…' : formatNumber(bound, 12);
}
