/**
 * One chart on a canvas: uPlot, told what to draw, telling where the cursor is and what was chosen with the mouse.
 *
 * Rule 1: a chart keeps nothing that it could not be made from again. Zoom, cursor and look belong to its owner, which
 *   may drop the chart when nobody sees it.
 * Rule 2: it only speaks to its owner. Charts of the same `group` show each other's cursor, and nothing else.
 * Rule 3: no number of a job makes it hang. uPlot adds a step until it is through, which is never where the step is
 *   lost in the number (nanoseconds since 1970 do that); so ticks are counted out here.
 */

import type uPlot from 'uplot';

import { formatNumber, formatValue, stopwatch } from '../text/format.js';
import type { Axis, Column, Plot } from './series.js';
import { patternOf, type ChartTheme } from './theme.js';

export type Range = readonly [from: number, to: number];

/** All that decides what a chart shows. */
export interface Frame {
  readonly plot: Plot;
  readonly styles: readonly number[]; // of the lines
  readonly axis: Axis;
  readonly unit: string;
  readonly fromZero: boolean;
  readonly zoom: Range | null; // of x
  readonly theme: ChartTheme;
  readonly width: number;
  readonly height: number;
}

export interface ChartListener {
  /** The cursor stands at this row of x; in each line the nearest point is at `rows`. Null: it has left. */
  moved(row: number | null, rows: readonly (number | null)[]): void;
  /** A part of x was chosen; null: all of it. */
  chosen(zoom: Range | null): void;
}

export interface Chart {
  draw(frame: Frame): void;
  /** Put the cursor at this row of x, here and on the charts of the group. */
  point(row: number | null): void;
  /** What was drawn; null before the first time. */
  readonly canvas: HTMLCanvasElement | null;
  dispose(): void;
}

export type ChartMaker = (holder: HTMLElement, group: string, listener: ChartListener) => Chart;

const MOST_TICKS = 200;
const LEAST_POWER = -300; // of ten; what is much less has no logarithm in a double
const FEW = 50; // a line of fewer points shows them
const TIMES = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * 60),
  ...[1, 2, 4, 6, 12].map(hours => hours * 3_600),
  ...[1, 2, 7, 14, 28, 84, 365, 3_650].map(days => days * 86_400)
];
const BYTES = Array.from({ length: 60 }, (_, power) => 2 ** power);

/** Charts drawn by uPlot, which comes only when the first one is. */
export async function loadCharts(): Promise<ChartMaker> {
  const library = (await import('uplot')).default;
  return (holder, group, listener) => new PlotChart(library, holder, group, listener);
}

class PlotChart implements Chart {
  readonly #library: typeof uPlot;
  readonly #holder: HTMLElement;
  readonly #group: string;
  readonly #listener: ChartListener;
  #made: uPlot | null = null;
  #shape = ''; // of what was drawn: another one needs another uPlot
  #x: readonly number[] = [];

  constructor(library: typeof uPlot, holder: HTMLElement, group: string, listener: ChartListener) {
    this.#library = library;
    this.#holder = holder;
    this.#group = group;
    this.#listener = listener;
  }

  get canvas(): HTMLCanvasElement | null {
    return this.#made?.ctx.canvas ?? null;
  }

  draw(frame: Frame): void {
    const { plot, zoom, width, height, axis, styles, theme, unit } = frame;
    const { raw, isLog } = plot;
    const shape = JSON.stringify([raw.length, plot.smooth !== null, isLog, axis, styles, unit, theme]);
    const data: uPlot.AlignedData = [plot.x, ...raw, ...(plot.smooth ?? [])];
    const [min, max] = zoom ?? whole(plot.x);
    this.#x = plot.x;
    if (this.#made === null || this.#shape !== shape) {
      this.dispose();
      this.#shape = shape;
      this.#made = new this.#library(this.#options(frame, min, max), data, this.#holder);
      return;
    }
    const made = this.#made;
    made.batch(() => {
      if (made.width !== width || made.height !== height) {
        made.setSize({ width, height });
      }
      made.setData(data, false);
      made.setScale('x', { min, max });
    });
    if ((made.cursor.left ?? -1) >= 0) {
      made.setCursor({ left: made.cursor.left ?? 0, top: made.cursor.top ?? 0 }); // other points lie under it now
    }
  }

  point(row: number | null): void {
    const made = this.#made;
    const x = row === null ? undefined : this.#x[row];
    if (made === null) {
      return;
    }
    const left = x === undefined ? -10 : made.valToPos(x, 'x');
    const top = x === undefined ? -10 : made.over.clientHeight / 2;
    made.setCursor({ left, top });
    if (made.cursor.sync) {
      made.cursor.sync.values = [x ?? 0, 0];
    }
    const { clientWidth, clientHeight } = made.over;
    this.#library.sync(this.#group).pub('mousemove', made, left, top, clientWidth, clientHeight, row ?? 0);
  }

  dispose(): void {
    this.#made?.destroy();
    this.#made = null;
  }

  #options(frame: Frame, min: number, max: number): uPlot.Options {
    const { plot, width, height } = frame;
    return {
      width,
      height,
      padding: [8, 24, 0, 0], // half a label is as wide
      legend: { show: false },
      scales: {
        x: { time: false, min, max },
        y: { distr: plot.isLog ? 3 : 1, range: (_, low, high) => heights(low, high, plot.isLog, frame.fromZero) }
      },
      axes: [xAxis(frame), yAxis(frame)],
      series: [{}, ...lines(frame)],
      cursor: this.#cursor(),
      hooks: {
        setCursor: [made => this.#tellCursor(made, plot.raw.length)],
        setSelect: [made => this.#tellChoice(made)]
      }
    };
  }

  #cursor(): uPlot.Cursor {
    return {
      y: false,
      drag: { x: true, y: false, dist: 5, setScale: false },
      bind: { dblclick: () => () => this.#all() },
      points: { size: 7 },
      sync: {
        key: this.#group,
        setSeries: false,
        scales: ['x', null],
        filters: { pub: isMove, sub: (type, from) => isMove(type) && this.#follows(from) }
      }
    };
  }

  /** Whether the place of another chart's cursor is in sight here; else ours goes. */
  #follows(from: uPlot): boolean {
    const x = from.cursor.sync?.values?.[0] ?? NaN;
    const { min = 0, max = 0 } = this.#made?.scales['x'] ?? {};
    const isHere = (from.cursor.left ?? -1) < 0 || (x >= min && x <= max);
    if (!isHere) {
      this.#made?.setCursor({ left: -10, top: -10 });
    }
    return isHere;
  }

  #all(): null {
    this.#listener.chosen(null);
    return null;
  }

  #tellCursor(made: uPlot, count: number): void {
    const row = (made.cursor.left ?? -1) < 0 ? null : (made.cursor.idx ?? null);
    this.#listener.moved(row, (made.cursor.idxs ?? []).slice(1, 1 + count));
  }

  #tellChoice(made: uPlot): void {
    const { left, width } = made.select;
    if (width > 0) {
      made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      this.#listener.chosen([made.posToVal(left, 'x'), made.posToVal(left + width, 'x')]);
    }
  }
}

/** Dragging and zooming stay with the chart where they happen. */
function isMove(type: string): boolean {
  return type === 'mousemove';
}

function whole(x: readonly number[]): [number, number] {
  const [first = 0, last = 0] = [x[0], x.at(-1)];
  return first < last ? [first, last] : [first - 1, first + 1];
}

/** What y must reach: a little more than the values do. */
function heights(low: number | null, high: number | null, isLog: boolean, fromZero: boolean): uPlot.Range.MinMax {
  if (low === null || high === null) {
    return isLog ? [1, 10] : [0, 1];
  }
  if (isLog) {
    const first = Math.max(LEAST_POWER, Math.floor(Math.log10(low)));
    return [10 ** first, 10 ** Math.max(first + 1, Math.ceil(Math.log10(high)))];
  }
  const margin = (high - low) * 0.05 || Math.abs(high) * 0.1 || 1;
  return fromZero ? [0, Math.max(high, 0) + margin] : [low - margin, high + margin];
}

function lines({ plot, theme, styles }: Frame): uPlot.Series[] {
  const style = (column: Column, index: number): uPlot.Series => {
    const own = styles[index] ?? index;
    const stroke = theme.lines[own % theme.lines.length] ?? theme.text;
    const isShort = column.reduce<number>((count, value) => count + (value == null ? 0 : 1), 0) < FEW;
    return {
      stroke,
      width: 1.5,
      dash: patternOf(own).dash,
      points: { show: isShort, size: 5, width: 1, fill: stroke, filter: alone }
    };
  };
  if (plot.smooth === null) {
    return plot.raw.map(style);
  }
  const faint = plot.raw.map((column, index) => ({ ...style(column, index), width: 1, alpha: 0.35, dash: [] }));
  return [...faint, ...plot.smooth.map(style)];
}

/** Of a line that shows no points, those with a gap on either side: no line leads to them. */
const alone: uPlot.Series.Points.Filter = (made, index, isShown) => {
  if (isShown) {
    return null;
  }
  const column = [...(made.data[index] ?? [])];
  const rows = [...column.keys()].filter(row => column[row] !== undefined);
  return rows.filter((row, place) => {
    const neighbours = [column[rows[place - 1] ?? -1], column[rows[place + 1] ?? -1]];
    return column[row] !== null && neighbours.every(value => value == null);
  });
};

function xAxis(frame: Frame): uPlot.Axis {
  const base = axisOf(frame.theme);
  const times: uPlot.Axis = { incrs: TIMES, values: (_, ticks) => ticks.map(stopwatch) };
  return { ...base, space: 64, size: 28, splits: ticks, ...(frame.axis === 'time' ? times : {}) };
}

function yAxis(frame: Frame): uPlot.Axis {
  const text = (tick: number | null, step: number): string => {
    const isBare = frame.unit === '';
    return tick === null ? '' : isBare ? formatNumber(tick, digits(tick, step)) : formatValue(tick, frame.unit);
  };
  return {
    ...axisOf(frame.theme),
    ...(frame.unit.startsWith('B') ? { incrs: BYTES } : {}),
    splits: frame.plot.isLog ? powers : ticks,
    space: 32,
    size: (_, labels) => 16 + 6.2 * Math.max(3, ...(labels ?? []).map(label => label.length)),
    values: (_, ticks, _axis, _space, step) => ticks.map(tick => text(tick, step))
  };
}

/** The multiples of `step` in sight. */
function ticks(_made: uPlot, _axis: number, min: number, max: number, step: number): number[] {
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: count < MOST_TICKS ? count : 0 }, (_, index) => tidy((first + index) * step));
}

/** The powers of ten in sight, with their multiples where there is room. */
function powers(_made: uPlot, _axis: number, min: number, max: number): number[] {
  const first = Math.floor(Math.log10(min));
  const count = Math.ceil(Math.log10(max)) - first + 1;
  const multiples = count < 12 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1];
  const all = Array.from({ length: count }, (_, index) => multiples.map(part => tidy(part * 10 ** (first + index))));
  return all.flat().filter(tick => tick >= min && tick <= max);
}

/** 0.3 for 0.30000000000000004. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** How many digits tell a tick from the next one. */
function digits(tick: number, step: number): number {
  const wanted = Math.ceil(Math.log10(Math.abs(tick) / step)) + 2;
  return Number.isFinite(wanted) ? Math.min(12, Math.max(3, wanted)) : 3;
}

function axisOf(theme: ChartTheme): uPlot.Axis {
  const line = { stroke: theme.grid, width: 1 };
  return { stroke: theme.text, font: theme.font, grid: line, ticks: { ...line, size: 4 }, gap: 4 };
}
