/**
 * The axes of parallel coordinates: where on its axis the value of each job lies. Pure.
 *
 * Rule 1: numbers lie by their size; by their logarithm where all are above zero and one is a hundred times another.
 * Rule 2: if one is no number, all are words, at even distances in the order in which people sort them.
 *   Of many words only some are written beside the axis.
 * Rule 3: a job without a value, or with nan or infinity, has no place on the axis; its line ends there.
 */

import { textOf } from '../cell/values.js';
import { formatNumber } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Scalar } from '../tokens.js';
import { numberIn } from './importance.js';

const WIDE = 100; // times as large
const MAX_TEXT = 16; // characters beside an axis
const MAX_WORDS = 12; // beside an axis
const words = new Intl.Collator(undefined, { numeric: true });

export interface Scale {
  readonly name: string;
  readonly places: readonly (number | null)[]; // of the jobs, 0 (bottom) to 1
  readonly ticks: readonly (readonly [place: number, text: string])[];
}

/** The axis of `values`, one for each job; undefined: it has none. */
export function scaleOf(name: string, values: readonly (Scalar | undefined)[]): Scale {
  const known = values.filter(value => value !== undefined && value !== null);
  const areNumbers = known.every(value => typeof value === 'number');
  return { name: plain(name, 100), ...(areNumbers ? numeric(values.map(numberIn)) : categorical(values)) };
}

type Axis = Omit<Scale, 'name'>;

function numeric(numbers: readonly number[]): Axis {
  const finite = numbers.filter(Number.isFinite);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const isLog = least > 0 && most / least >= WIDE;
  const size = (number: number): number => (isLog ? Math.log(number) : number);
  const span = size(most) - size(least);
  const place = (number: number): number => (span === 0 ? 0.5 : (size(number) - size(least)) / span);
  const ends = [...new Set([least, most])].filter(Number.isFinite);
  return {
    places: numbers.map(number => (Number.isFinite(number) ? place(number) : null)),
    ticks: ends.map(number => [place(number), formatNumber(number)] as const)
  };
}

function categorical(values: readonly (Scalar | undefined)[]): Axis {
  const texts = values.map(value => (value === undefined || value === null ? null : textOf(value)));
  const kinds = [...new Set(texts.filter(text => text !== null))].sort(words.compare);
  const order = new Map(kinds.map((text, at) => [text, at]));
  const place = (text: string): number => (kinds.length < 2 ? 0.5 : (order.get(text) ?? 0) / (kinds.length - 1));
  const step = Math.ceil(kinds.length / MAX_WORDS);
  return {
    places: texts.map(text => (text === null ? null : place(text))),
    ticks: kinds.filter((_, at) => at % step === 0).map(text => [place(text), plain(text, MAX_TEXT) || '""'] as const)
  };
}
