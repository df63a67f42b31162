/**
 * Series of numbers: out of the wire's buffers, and into columns to draw and CSV to save. Pure; nothing here draws.
 *
 * Rule 1: a series is kept as it came, every point in the order of its writing. What is drawn is made from it anew.
 * Rule 2: over steps, a step that was done again counts as it went the last time: where the steps go back (a restart
 *   from a checkpoint), the points at and after the step that was gone back to are left out, as TensorBoard does. They
 *   still stand in the statistics, over time, and in the CSV.
 * Rule 3: every point has a step (the wire counts the points of a metric that says none); one without is not drawn.
 * Rule 4: over time all points are drawn, also those of the same moment (the log's times are good to about a second).
 * Rule 5: nan is a gap in the line, and so is what no scale can hold: an infinity, and on a log scale zero and less.
 */

import type { Series } from '../tokens.js';

/** Of all points; nan where no value is finite. `odd` values are nan or infinite. */
interface Statistics {
  last: number;
  min: number;
  max: number;
  odd: number;
}

export interface Line extends Readonly<Series>, Readonly<Statistics> {
  readonly key: string; // unique among the lines of a job
  readonly steps: Float64Array;
  readonly times: Float64Array; // seconds since the epoch
  readonly values: Float64Array;
}

export type Axis = 'step' | 'time';

/** How the user wants to see lines. */
export interface ChartSettings {
  readonly axis: Axis;
  readonly isLog: boolean;
  readonly smoothing: number; // 0 (none) to 0.99
  readonly origin: number; // the moment that is time 0
}

/** `null` is a gap; `undefined` means that the line has nothing at this x, and goes through. */
export type Column = (number | null | undefined)[];

/** Lines over one common x, ascending; `smooth` is null where nothing is smoothed. */
export interface Plot {
  readonly x: number[];
  readonly raw: Column[];
  readonly smooth: Column[] | null;
  readonly isLog: boolean; // not so where no value is above zero
}

const LARGEST = 1e100; // no picture needs more, and differences of such numbers are still finite

/** The line that `buffer` holds: float64 steps, then times, then values. Without points where it is too short. */
export function readLine(series: Series, buffer: ArrayBuffer | undefined): Line {
  const key = JSON.stringify([series.source, series.name, series.replica]);
  const length = buffer && buffer.byteLength >= series.length * 24 ? series.length : 0;
  const bytes = buffer ?? new ArrayBuffer(0);
  const part = (index: number): Float64Array => new Float64Array(bytes, index * length * 8, length);
  const values = part(2);
  return { ...series, ...statistics(values), key, length, steps: part(0), times: part(1), values };
}

function statistics(values: Float64Array): Statistics {
  let [min, max, odd] = [Infinity, -Infinity, 0];
  for (const value of values) {
    if (Number.isFinite(value)) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    } else {
      odd += 1;
    }
  }
  const isEmpty = min > max;
  return { last: values.at(-1) ?? NaN, min: isEmpty ? NaN : min, max: isEmpty ? NaN : max, odd };
}

/** Moving average that weighs the past with `weight`, freed of its start at zero, as TensorBoard has it. */
export function smoothed(values: readonly number[], weight: number): number[] {
  const finite = values.filter(Number.isFinite);
  if (finite.every(value => value === finite[0])) {
    return [...values]; // a constant stays exactly itself
  }
  let [average, bias] = [0, 1];
  return values.map(value => {
    if (!Number.isFinite(value)) {
      return value;
    }
    average = average * weight + value * (1 - weight);
    bias *= weight;
    return average / (1 - bias);
  });
}

/** The columns of `lines` as the user wants to see them. */
export function plotOf(lines: readonly Line[], look: ChartSettings): Plot {
  const isLog = look.isLog && lines.some(line => line.values.some(value => value > 0 && value < Infinity));
  const tracks = lines.map(line => trackOf(line, look));
  const { x, rows } = merge(tracks.map(track => track.x));
  const column = (values: readonly number[], index: number): Column => {
    const at = rows[index] ?? [];
    return withWideGaps(at.map(row => (row === undefined ? row : drawable(values[row], isLog))));
  };
  const raw = tracks.map((track, index) => column(track.y, index));
  const smooth = look.smoothing > 0 ? tracks.map(({ y }, index) => column(smoothed(y, look.smoothing), index)) : null;
  return { x, raw, smooth, isLog };
}

interface Track {
  x: number[];
  y: number[];
}

function trackOf(line: Line, look: ChartSettings): Track {
  const { times, steps, values } = line;
  const isTime = look.axis === 'time';
  const order = isTime ? byTime(times) : byStep(steps);
  const place = (index: number): number => (isTime ? (times[index] ?? 0) - look.origin : (steps[index] ?? 0));
  return { x: order.map(place), y: order.map(index => values[index] ?? NaN) };
}

/** From the end, every point whose step lies before all that came later (rule 2). */
function byStep(steps: Float64Array): number[] {
  const kept: number[] = [];
  let first = Infinity;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index] ?? NaN;
    if (step < first && step > -Infinity) {
      kept.push(index);
      first = step;
    }
  }
  return kept.reverse();
}

function byTime(times: Float64Array): number[] {
  const time = (index: number): number => times[index] ?? 0;
  return [...times.keys()].filter(index => Number.isFinite(time(index))).sort((one, other) => time(one) - time(other));
}

/** Join ascending lists; `rows[i]` has for each common x the index in list `i`. What is twice in a list stays twice. */
function merge(lists: readonly (readonly number[])[]): { x: number[]; rows: (number | undefined)[][] } {
  const heads = lists.map(() => 0);
  const rows: (number | undefined)[][] = lists.map(() => []);
  const x: number[] = [];
  for (;;) {
    const next = lists.reduce((least, list, index) => Math.min(least, list[heads[index] ?? 0] ?? Infinity), Infinity);
    if (next === Infinity) {
      return { x, rows };
    }
    x.push(next);
    lists.forEach((list, index) => {
      const head = heads[index] ?? 0;
      const isHere = list[head] === next;
      rows[index]?.push(isHere ? head : undefined);
      heads[index] = isHere ? head + 1 : head;
    });
  }
}

function drawable(value = NaN, isLog: boolean): number | null {
  return Math.abs(value) < LARGEST && (!isLog || value > 0) ? value : null;
}

/** A gap reaches to the neighbouring points of its own line, past the x that only other lines have. */
function withWideGaps(column: Column): Column {
  for (let row = 1; row < column.length; row += 1) {
    if (column[row] === undefined && column[row - 1] === null) {
      column[row] = null;
    }
  }
  for (let row = column.length - 2; row >= 0; row -= 1) {
    if (column[row] === undefined && column[row + 1] === null) {
      column[row] = null;
    }
  }
  return column;
}

/** All points of `lines` for other programs, by RFC 4180. No cell of text can be taken for a spreadsheet's formula. */
export function csv(lines: readonly Line[]): string {
  const rows = ['name,replica,step,time,value'];
  for (const line of lines) {
    const begin = `${textCell(line.name)},${textCell(line.replica)}`;
    line.values.forEach((value, index) => {
      const numbers = [line.steps[index], line.times[index], value];
      rows.push(`${begin},${numbers.map(numberCell).join()}`);
    });
  }
  return rows.join('\r\n') + '\r\n';
}

function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** As Python reads and writes it: nan, inf, -inf. */
function numberCell(value = NaN): string {
  return Number.isFinite(value) ? String(value) : String(value).toLowerCase().replace('infinity', 'inf');
}
