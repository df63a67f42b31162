/**
 * Values and a metric of several jobs as parallel coordinates, and how closely the metric follows each value; the same
 * as tables for whom pictures say nothing.
 *
 * A few jobs have the colours of their curves. Of more, the colour says how large the metric is, and jobs of one colour
 * are one path: so a thousand are drawn in a moment.
 *
 * Rule: the picture is for eyes alone. What it says stands in the tables of the comparison and in the one behind it.
 */

import { patternOf } from '../charts/theme.js';
import { fillTable, heading, table } from '../parts/blocks.js';
import { choice, field, setOptions } from '../parts/controls.js';
import { element, quiet, setText } from '../parts/dom.js';
import { formatNumber } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say, Scalar } from '../tokens.js';
import { directionOf } from './bestvalue.js';
import { FEWEST_RANKED, importanceOf, type Trial } from './importance.js';
import { scaleOf, type Scale } from './scales.js';

const SVG = 'http://www.w3.org/2000/svg';
const [TOP, HEIGHT, GAP, WIDEST, SIDE] = [28, 200, 132, 320, 64]; // pixels
const MAX_AXES = 12; // of values; those that matter most come first
const COLORS = 8; // as many jobs have one each
const SHADES = 12; // of the metric, for more jobs
const NOTHING: Trial = { name: '', values: {}, metrics: {} }; // in the place of a job that is not drawn

export class ParallelCoordinates {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #metric: HTMLSelectElement;
  readonly #picture = element('div', { class: 'pj-JobView-scroll', tabindex: 0, role: 'region' });
  readonly #note = quiet('');
  readonly #importance: HTMLTableElement;
  #trials: readonly Trial[] = [];
  #missing = { count: 0, names: '' }; // jobs that cannot be drawn, and what they lack
  #drawn = '';

  constructor(say: Say) {
    this.#say = say;
    this.#metric = choice(say('Metric'), [], () => this.#draw());
    const title = say('Values and metrics');
    this.#picture.setAttribute('aria-label', title);
    const columns = [say('Hyperparameter'), say('Rank correlation'), say('Number of jobs')];
    this.#importance = table(say('Importance'), columns, [], [1, 2]);
    this.element = element(
      'div',
      { class: 'pj-JobView-parallel' },
      heading(title, field(say('Metric'), this.#metric)),
      this.#picture,
      heading(say('Importance')),
      this.#note,
      this.#importance
    );
  }

  show(trials: readonly Trial[]): void {
    const drawn = JSON.stringify(trials);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#trials = trials;
      const names = [...new Set(trials.flatMap(({ metrics }) => Object.keys(metrics)))].sort();
      const isNew = this.#metric.length === 0;
      setOptions(
        this.#metric,
        names.map(name => [name, plain(name, 100)])
      );
      if (isNew && names.length) {
        this.#metric.value = names.find(name => directionOf(name) !== null) ?? this.#metric.value;
      }
      this.#draw();
    }
  }

  #draw(): void {
    const [trials, metric] = [this.#trials, this.#metric.value];
    const importance = importanceOf(trials, metric);
    const order = new Map(importance.map(({ value }, at) => [value, at]));
    const names = differing(trials).sort((one, other) => (order.get(one) ?? Infinity) - (order.get(other) ?? Infinity));
    const axesOf = (these: readonly Trial[]): Scale[] => [
      ...names.slice(0, MAX_AXES).map(name => scaleOf(name, valuesOf(these, name))),
      scaleOf(metric, metricsOf(these, metric))
    ];
    const all = axesOf(trials);
    const lost = trials.map((_, at) => !hasLine(at, all));
    const lacked = all.filter(({ places }) => lost.some((isLost, at) => isLost && places[at] === null));
    this.#missing = { count: lost.filter(Boolean).length, names: lacked.map(({ name }) => name).join(', ') };
    const axes = axesOf(trials.map((trial, at) => (lost[at] ? NOTHING : trial)));
    this.element.hidden = metric === '' || names.length === 0;
    if (!this.element.hidden) {
      this.#picture.replaceChildren(this.#drawing(axes));
      fillTable(
        this.#importance,
        importance.map(({ value, correlation, count }) => [plain(value, 100), signed(correlation), String(count)]),
        [1, 2]
      );
      this.#importance.hidden = importance.length === 0;
      setText(this.#note, this.#advice(metric, names.length, importance.length));
    }
  }

  #advice(metric: string, differing: number, ranked: number): string {
    const ofMetric = metricsOf(this.#trials, metric).filter(Number.isFinite).length;
    const counts = { metric: plain(metric, 100), count: ofMetric, fewest: FEWEST_RANKED };
    const { count: missing, names } = this.#missing;
    const lost = missing
      ? this.#say('Not drawn: {missing} of {count} jobs (no {names}).', { missing, count: this.#trials.length, names })
      : '';
    const cut = differing > MAX_AXES ? `${this.#say('The first {count} values are drawn.', { count: MAX_AXES })} ` : '';
    const colours =
      this.#trials.length > COLORS
        ? `${this.#say('Orange lines are jobs with a high {metric}, blue ones those with a low one.', counts)} `
        : '';
    return (
      (lost && `${lost} `) +
      cut +
      colours +
      (ranked
        ? this.#say(
            "Spearman's rank correlation with {metric} over {count} jobs. It is not a cause; with few jobs it may be " +
              'chance.',
            counts
          )
        : this.#say(
            'There is no rank correlation: at least {fewest} jobs with a number that differs are needed.',
            counts
          ))
    );
  }

  #drawing(axes: readonly Scale[]): SVGSVGElement {
    const room = (this.#picture.clientWidth - 2 * SIDE) / Math.max(1, axes.length - 1);
    const gap = Math.round(Math.min(Math.max(GAP, room - 2), WIDEST));
    const width = 2 * SIDE + (axes.length - 1) * gap;
    const label = this.#say('Parallel coordinates of {count} jobs; the tables have the same values.', {
      count: this.#trials.length - this.#missing.count
    });
    const size = { viewBox: `0 0 ${width} ${TOP + HEIGHT + 12}`, width, height: TOP + HEIGHT + 12 };
    const made = svg('svg', { ...size, role: 'img', 'aria-label': label, class: 'pj-JobView-coordinates' });
    const isFew = this.#trials.length <= COLORS;
    made.append(
      ...(isFew
        ? this.#trials.flatMap((trial, at) => (hasLine(at, axes) ? lineDrawing(trial, at, axes, gap) : []))
        : shadeDrawings(this.#trials.length, axes, gap)),
      ...axes.map((axis, at) => axisDrawing(axis, SIDE + at * gap)) // over the lines, so that it can be read
    );
    return made;
  }
}

/** The values in which the jobs differ. */
function differing(trials: readonly Trial[]): string[] {
  const names = [...new Set(trials.flatMap(({ values }) => Object.keys(values)))];
  return names.filter(name => new Set(valuesOf(trials, name).map(value => JSON.stringify(value))).size > 1);
}

function valuesOf(trials: readonly Trial[], name: string): (Scalar | undefined)[] {
  return trials.map(({ values }) => (Object.hasOwn(values, name) ? values[name] : undefined));
}

function metricsOf(trials: readonly Trial[], name: string): (number | undefined)[] {
  return trials.map(({ metrics }) => (Object.hasOwn(metrics, name) ? metrics[name] : undefined));
}

function axisDrawing({ name, ticks }: Scale, x: number): SVGElement {
  const title = svg('text', { x, y: 12, class: 'pj-JobView-axisName', 'text-anchor': 'middle' });
  title.textContent = name.length > 18 ? `${name.slice(0, 17)}…` : name;
  const whole = svg('title', {});
  whole.textContent = name;
  title.append(whole);
  const labels = ticks.map(([place, text]) => {
    const made = svg('text', { x: x + 6, y: yOf(place) + 4, class: 'pj-JobView-axisTick' });
    made.textContent = text;
    return made;
  });
  const line = svg('line', { x1: x, x2: x, y1: TOP, y2: TOP + HEIGHT, class: 'pj-JobView-axis' });
  const group = svg('g', {});
  group.append(line, title, ...labels);
  return group;
}

/** Whether a job has places on two axes beside one another. */
function hasLine(at: number, axes: readonly Scale[]): boolean {
  return axes.some(({ places }, axis) => places[at] != null && axes[axis - 1]?.places[at] != null);
}

/** The line of a job as path data; it has gaps where the job has no value. */
function lineOf(at: number, axes: readonly Scale[], gap: number): string {
  const parts = axes.map(({ places }, axis) => {
    const place = places[at] ?? null;
    const hasBefore = axis > 0 && axes[axis - 1]?.places[at] != null;
    return place === null ? '' : `${hasBefore ? 'L' : 'M'}${SIDE + axis * gap} ${yOf(place)}`;
  });
  return parts.join(' ');
}

/** The lines of many jobs by how large the metric is, which is the last axis; those without it lie lowest. */
function shadeDrawings(count: number, axes: readonly Scale[], gap: number): SVGElement[] {
  const shades = new Map<number, string[]>();
  for (let at = 0; at < count; at += 1) {
    const place = axes.at(-1)?.places[at] ?? null;
    const shade = place === null ? -1 : Math.round(place * (SHADES - 1));
    const lines = shades.get(shade) ?? [];
    lines.push(lineOf(at, axes, gap));
    shades.set(shade, lines);
  }
  return [...shades].sort(([one], [other]) => one - other).map(([shade, lines]) => shadeDrawing(shade, lines, count));
}

function shadeDrawing(shade: number, lines: readonly string[], count: number): SVGElement {
  const made = svg('path', { d: lines.join(' '), class: 'pj-JobView-trials' });
  const high = Math.round((100 * shade) / (SHADES - 1));
  made.style.stroke =
    shade < 0 ? 'var(--pj-series-7)' : `color-mix(in srgb, var(--pj-series-1) ${high}%, var(--pj-series-0))`;
  made.style.strokeOpacity = count > 100 ? '0.5' : '0.8';
  return made;
}

/** The line of a job, in the colour of its curve. */
function lineDrawing({ name }: Trial, at: number, axes: readonly Scale[], gap: number): SVGElement {
  const made = svg('path', { d: lineOf(at, axes, gap), class: 'pj-JobView-trial' });
  made.style.stroke = `var(--pj-series-${at % COLORS})`;
  made.style.strokeDasharray = patternOf(at).dash.join(' ');
  const title = svg('title', {});
  title.textContent = name;
  made.append(title);
  return made;
}

function yOf(place: number): number {
  return Math.round(TOP + (1 - place) * HEIGHT);
}

function signed(number: number): string {
  return (number < 0 ? '−' : '+') + formatNumber(Math.abs(number), 2);
}

function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Record<string, string | number>
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  Object.entries(properties).forEach(([name, value]) => made.setAttribute(name, String(value)));
  return made;
}
