/**
 * Charts that the user makes: which metrics, over what, smoothed or not. Their JSON is what is kept and what people
 * send each other. Pure.
 *
 *     [{"title": "Loss", "x": "step", "y": ["loss", "val_loss"], "smoothing": 0.6, "log": true}]
 *
 * Rule 1: `x` is "step", "time", or the name of a metric: its value at the same step of the same job then says where a
 *   point lies. A metric called "step" or "time" is asked for as "metric:step".
 * Rule 2: what is wrong in pasted JSON is said in one sentence, and nothing of it is taken.
 */

import type { Line } from '../charts/series.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

export interface CustomChart {
  readonly title: string; // '': the names of its metrics
  readonly x: string;
  readonly y: readonly string[];
  readonly smoothing: number;
  readonly log: boolean;
}

export const MAX_CHARTS = 50;
const MAX_NAMES = 20;
const MAX_TEXT = 200;
const OF_METRIC = 'metric:';

export class ChartError extends Error {}

/** The charts of this JSON: a list of them, or one. Throws a `ChartError` with the sentence for the user. */
export function readCharts(text: string, say: Say): CustomChart[] {
  const items = parsed(text, say);
  const list = Array.isArray(items) ? items : [items];
  if (list.length > MAX_CHARTS) {
    throw new ChartError(say('There are more than {count} charts.', { count: MAX_CHARTS }));
  }
  return list.map((item, at) => readChart(item, at + 1, say));
}

/** What was kept: the charts that can be shown, the others as they are, and the sentence why these are not shown. */
export interface KeptCharts {
  readonly charts: readonly CustomChart[];
  readonly others: readonly unknown[];
  readonly problem: string;
}

/** Read each chart by itself, so that one that was broken by hand hides no other. */
export function readKept(items: readonly unknown[], say: Say): KeptCharts {
  const charts: CustomChart[] = [];
  const others: unknown[] = [];
  let problem = '';
  items.forEach((item, at) => {
    try {
      if (charts.length >= MAX_CHARTS) {
        throw new ChartError(say('There are more than {count} charts.', { count: MAX_CHARTS }));
      }
      charts.push(readChart(item, at + 1, say));
    } catch (error) {
      if (!(error instanceof ChartError)) {
        throw error;
      }
      others.push(item);
      problem ||= error.message;
    }
  });
  return { charts, others, problem };
}

export function chartsJson(charts: readonly CustomChart[]): string {
  return JSON.stringify(charts, null, 2);
}

export function chartTitle({ title, y, x }: CustomChart): string {
  const over = metricOf(x);
  return plain(title, MAX_TEXT) || plain(y.join(', '), MAX_TEXT) + (over === null ? '' : ` / ${plain(over, 100)}`);
}

/** The metric that lies on the x axis; null where it is step or time. */
export function metricOf(x: string): string | null {
  return x === 'step' || x === 'time' ? null : x.startsWith(OF_METRIC) ? x.slice(OF_METRIC.length) : x;
}

/** What a metric is called as `x`. */
export function asX(metric: string): string {
  const isTaken = metric === 'step' || metric === 'time' || metric.startsWith(OF_METRIC);
  return isTaken ? OF_METRIC + metric : metric;
}

/** The lines of a chart: those of its metrics, in its order. `owner` tells the lines of one job and replica. */
export function linesOf(chart: CustomChart, lines: readonly Line[], owner: (line: Line) => string): Line[] {
  const chosen = chart.y.flatMap(name => lines.filter(line => line.name === name));
  const over = metricOf(chart.x);
  if (over === null) {
    return chosen;
  }
  return chosen.flatMap(line => {
    const xs = lines.find(other => other.name === over && owner(other) === owner(line));
    return xs ? [overMetric(line, xs)] : [];
  });
}

/** The points of `line` at the values that `xs` has at the same steps, from the least on. */
function overMetric(line: Line, xs: Line): Line {
  const at = new Map([...xs.steps].map((step, index) => [step, xs.values[index] ?? NaN]));
  const points = [...line.steps.keys()].flatMap(index => {
    const x = at.get(line.steps[index] ?? NaN) ?? NaN;
    return Number.isFinite(x) ? [{ x, index }] : [];
  });
  points.sort((one, other) => one.x - other.x);
  const take = (from: Float64Array): Float64Array => Float64Array.from(points, ({ index }) => from[index] ?? NaN);
  const steps = Float64Array.from(points, ({ x }) => x);
  return { ...line, steps, times: take(line.times), values: take(line.values), length: points.length };
}

function parsed(text: string, say: Say): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ChartError(say('This is not JSON. Paste what "Copy as JSON" has copied.'));
  }
}

function readChart(item: unknown, place: number, say: Say): CustomChart {
  const wrong = (what: string): ChartError =>
    new ChartError(say('Chart {place}: {field} is missing or wrong.', { place, field: what }));
  if (typeof item !== 'object' || item === null) {
    throw wrong('y');
  }
  const { title = '', x = 'step', y, smoothing = 0, log = false } = item as Record<string, unknown>;
  if (typeof title !== 'string' || title.length > MAX_TEXT) {
    throw wrong('title');
  }
  if (typeof x !== 'string' || x === '' || x.length > MAX_TEXT) {
    throw wrong('x');
  }
  if (!isNames(y)) {
    throw wrong('y');
  }
  if (typeof smoothing !== 'number' || !(smoothing >= 0 && smoothing < 1)) {
    throw wrong('smoothing');
  }
  if (typeof log !== 'boolean') {
    throw wrong('log');
  }
  return { title, x, y: [...new Set(y)], smoothing, log };
}

function isNames(value: unknown): value is string[] {
  const isName = (name: unknown): boolean => typeof name === 'string' && name !== '' && name.length <= MAX_TEXT;
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_NAMES && value.every(isName);
}
