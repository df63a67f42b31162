/**
 * How closely a metric follows each of the values, over several jobs: Spearman's rank correlation. Pure.
 *
 * Rule 1: it is a correlation, not a cause, and with few jobs little more than chance; who shows it says both.
 * Rule 2: only numbers and booleans have ranks. Of texts, and of what is the same in all jobs, there is none.
 * Rule 3: a job without the value, or whose metric is no finite number, is left out of that row alone.
 */

import type { Scalar } from '../tokens.js';

export const FEWEST_RANKED = 3; // jobs; two always lie on a line

/** One job as numbers. */
export interface Trial {
  readonly name: string;
  readonly values: Readonly<Record<string, Scalar>>;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Importance {
  readonly value: string;
  readonly correlation: number; // -1 to 1
  readonly count: number; // of the jobs that have both
}

/** The values that have ranks, the closest first. */
export function importanceOf(trials: readonly Trial[], metric: string): Importance[] {
  const names = [...new Set(trials.flatMap(({ values }) => Object.keys(values)))];
  const rows = names.flatMap(value => {
    const pairs = trials.flatMap(trial => pairOf(trial, value, metric));
    const correlation = pairs.length < FEWEST_RANKED ? null : rankCorrelation(pairs);
    return correlation === null ? [] : [{ value, correlation, count: pairs.length }];
  });
  const size = ({ correlation }: Importance): number => Math.abs(correlation);
  return rows.sort((one, other) => size(other) - size(one) || (one.value < other.value ? -1 : 1));
}

type Pair = readonly [value: number, metric: number];

function pairOf({ values, metrics }: Trial, value: string, metric: string): Pair[] {
  const one = Object.hasOwn(values, value) ? numberIn(values[value]) : NaN;
  const other = Object.hasOwn(metrics, metric) ? (metrics[metric] ?? NaN) : NaN;
  return Number.isFinite(one) && Number.isFinite(other) ? [[one, other]] : [];
}

/** A value as a number; NaN where it is none. */
export function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : NaN;
}

/** Spearman's correlation; null where one side is the same everywhere. */
export function rankCorrelation(pairs: readonly Pair[]): number | null {
  const [one, other] = [ranks(pairs.map(([x]) => x)), ranks(pairs.map(([, y]) => y))];
  const mean = (pairs.length + 1) / 2;
  const product = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, rank, at) => sum + (rank - mean) * ((right[at] ?? mean) - mean), 0);
  const size = Math.sqrt(product(one, one) * product(other, other));
  return size === 0 ? null : Math.max(-1, Math.min(1, product(one, other) / size));
}

/** The ranks from 1 on; equal numbers share the middle of theirs. */
function ranks(numbers: readonly number[]): number[] {
  const order = [...numbers.keys()].sort((one, other) => (numbers[one] ?? 0) - (numbers[other] ?? 0));
  const found: number[] = [];
  for (let first = 0; first < order.length;) {
    let end = first + 1;
    while (end < order.length && numbers[order[end] ?? 0] === numbers[order[first] ?? 0]) {
      end += 1;
    }
    order.slice(first, end).forEach(index => (found[index] = (first + 1 + end) / 2));
    first = end;
  }
  return found;
}
