/**
 * One chart with its title, its legend and its keys. It has a canvas only while somebody sees it, and only for a
 * course: a single value is a number.
 *
 * Keys, on the chart: left and right move the cursor (with Shift by ten), Home and End go to the ends, Escape shows all
 * again. What the cursor points at is told to a screen reader.
 */

import { button, Disposables, element, setText } from '../parts/dom.js';
import { fileName, saveBlob } from '../parts/download.js';
import { formatNumber, formatValue, stopwatch } from '../text/format.js';
import type { Context } from '../tokens.js';
import type { Chart, ChartMaker, Range } from './chart.js';
import { Legend, type LegendLine } from './legend.js';
import { chartImage } from './image.js';
import { type Column, type Line, type ChartSettings, type Plot, plotOf } from './series.js';
import type { ChartTheme } from './theme.js';

/** What a chart needs of its surroundings to be understood. */
export type ChartContext = Pick<Context, 'say' | 'announce'>;

/** What a card is to show. */
export interface ChartSpec {
  readonly key: string;
  readonly title: string;
  readonly lines: readonly Line[];
  readonly labels: readonly string[]; // of the lines; '' where the title says enough
  readonly styles: readonly number[]; // of the lines: which colour and pattern, see theme.ts
  readonly unit: string;
  readonly note: string;
  readonly fromZero: boolean;
  readonly isLarge: boolean;
  readonly group?: string; // the heading that it stands under
  readonly look?: Partial<ChartSettings>; // where it differs from the other charts
  readonly x?: string; // what its steps are, where they are none
}

export const MAX_LINES = 16; // of one chart: more cannot be told apart
const SPOKEN = 4; // lines that are read out

export class ChartCard {
  readonly element: HTMLElement;
  readonly holder: HTMLElement;
  isVisible = false;
  isStale = true;
  width = 0;
  readonly #voice: ChartContext;
  readonly #group: string;
  readonly #wake: () => void;
  #plan: ChartSpec;
  #look: ChartSettings;
  readonly #title = element('h4', { class: 'pj-JobView-cardTitle' });
  readonly #place = element('span', { class: 'pj-JobView-quiet' });
  readonly #unzoom: HTMLButtonElement;
  readonly #png: HTMLButtonElement;
  readonly #figure = element('p', { class: 'pj-JobView-figure' });
  readonly #legend = new Legend();
  readonly #trash = new Disposables();
  #chart: Chart | null = null;
  #plot: Plot = { x: [], raw: [], smooth: null, isLog: false };
  #theme: ChartTheme | null = null;
  #zoom: Range | null = null;
  #row: number | null = null; // where the cursor is
  #rows: readonly (number | null)[] = [];

  /** `wake` is called when the card wants to be drawn; charts of one `group` share their cursor. */
  constructor(voice: ChartContext, group: string, wake: () => void, plan: ChartSpec, look: ChartSettings) {
    this.#voice = voice;
    this.#group = group;
    this.#wake = wake;
    this.#plan = plan;
    this.#look = { ...look, ...plan.look };
    const { say } = voice;
    this.#unzoom = button(say('Reset zoom'), 'bare', () => this.#zoomTo(null));
    this.#unzoom.hidden = true;
    this.#png = button('PNG', 'bare', () => this.#savePicture());
    this.#png.title = say('Save this chart as a picture');
    this.#figure.hidden = true;
    this.holder = element('div', { class: 'pj-JobView-plot' }, this.#figure);
    const head = element('div', { class: 'pj-JobView-cardHead' }, this.#title, this.#place, this.#unzoom, this.#png);
    this.element = element('section', { class: 'pj-JobView-card' }, head, this.holder, this.#legend.element);
    this.#trash.listen(this.holder, 'keydown', event => this.#press(event));
    this.#trash.listen(this.holder, 'blur', () => this.#chart?.point(null));
    this.#name(plan);
  }

  set(plan: ChartSpec, common: ChartSettings): void {
    const look = { ...common, ...plan.look };
    const { lines } = this.#plan;
    const isSame = plan.lines.length === lines.length && plan.lines.every((line, index) => line === lines[index]);
    if (!isSame || lookOf(plan, look) !== lookOf(this.#plan, this.#look)) {
      this.#zoom = look.axis === this.#look.axis ? this.#zoom : null;
      [this.#plan, this.#look, this.isStale] = [plan, look, true];
    }
  }

  draw(make: ChartMaker, theme: ChartTheme): void {
    const [plan, look] = [this.#plan, this.#look];
    this.#plot = plotOf(plan.lines, look);
    this.#theme = theme;
    this.isStale = false;
    const hasCourse = this.#plot.raw.some(hasSeveral);
    this.#showCourse(hasCourse);
    if (!hasCourse) {
      this.#chart?.dispose();
      this.#chart = this.#row = null;
      this.#showLegend();
      return;
    }
    this.#chart ??= make(this.holder, this.#group, {
      moved: (row, rows) => this.#moved(row, rows),
      chosen: zoom => this.#zoomTo(zoom)
    });
    this.#chart.draw({
      plot: this.#plot,
      styles: plan.styles,
      axis: look.axis,
      unit: plan.unit,
      fromZero: plan.fromZero,
      zoom: this.#zoom,
      theme,
      width: this.width || this.holder.clientWidth || 320,
      height: plan.isLarge ? 360 : 180
    });
    this.#showLegend();
  }

  /** Give the canvas back; the next `draw` makes another. */
  sleep(): void {
    this.#chart?.dispose();
    this.#chart = null;
    this.#row = null;
    this.isStale = true;
  }

  dispose(): void {
    this.sleep();
    this.#trash.dispose();
    this.element.remove();
  }

  #name({ title, isLarge }: ChartSpec): void {
    const name = title.slice(0, 100);
    this.#title.textContent = this.#title.title = title;
    this.holder.classList.toggle('pj-JobView-plot-large', isLarge);
    this.element.setAttribute('aria-label', name);
    this.#showCourse(true);
  }

  /** Have room for a chart, with its keys; or for a number, of which there is nothing to be read by keys. */
  #showCourse(hasCourse: boolean): void {
    const name = this.#plan.title.slice(0, 100);
    const label = this.#voice.say('{name}: the arrow keys read the values', { name });
    const properties = { role: 'application', tabindex: '0', 'aria-label': label };
    Object.entries(properties).forEach(([key, value]) => {
      return hasCourse ? this.holder.setAttribute(key, value) : this.holder.removeAttribute(key);
    });
    this.holder.classList.toggle('pj-JobView-plot-bare', !hasCourse);
    this.#png.hidden = !hasCourse;
    this.#figure.hidden = hasCourse || !this.#isAlone;
    const {
      lines: [line],
      unit
    } = this.#plan;
    setText(this.#figure, this.#figure.hidden || !line ? '' : formatValue(line.last, unit));
  }

  /** Whether the one line there is needs no name. */
  get #isAlone(): boolean {
    return this.#plan.labels.length === 1 && this.#plan.labels[0] === '';
  }

  #moved(row: number | null, rows: readonly (number | null)[]): void {
    [this.#row, this.#rows] = [row, rows];
    this.#showLegend();
  }

  /** What lies at the cursor, else at the end of the lines; the latter also as the name of the picture. */
  #showLegend(): void {
    const { title, labels, note } = this.#plan;
    const lines = this.#plan.lines.map((line, index) => this.#legendLine(line, index));
    setText(this.#place, this.#row === null ? '' : this.#placeText());
    this.#legend.show(this.#figure.hidden ? lines : [], note);
    if (this.#row === null) {
      const last = this.#voice.say('last');
      const name = (index: number): string => shortened(labels[index] ?? '');
      const parts = lines.map(({ value, range }, index) => `${name(index)} ${last} ${value}, ${range}`);
      this.#chart?.canvas?.setAttribute('role', 'img');
      this.#chart?.canvas?.setAttribute('aria-label', `${title.slice(0, 100)}: ${listed(parts)}`);
    }
  }

  #legendLine(line: Line, index: number): LegendLine {
    const { labels, styles, unit } = this.#plan;
    const [min, max] = [formatValue(line.min, unit), formatValue(line.max, unit)];
    const what = this.#row === null ? this.#voice.say('Last value') : this.#placeText();
    return {
      label: this.#isAlone ? what : (labels[index] ?? ''),
      style: this.#isAlone ? null : (styles[index] ?? index),
      value: this.#row === null ? formatValue(line.last, unit) : this.#valueAt(index),
      range: line.count > 1 ? this.#voice.say('min {min}, max {max}', { min, max }) : ''
    };
  }

  #placeText(): string {
    const x = this.#plot.x[this.#row ?? 0] ?? 0;
    const step = formatNumber(x, 6);
    return this.#look.axis === 'time'
      ? stopwatch(x)
      : this.#plan.x === undefined
        ? this.#voice.say('step {step}', { step })
        : `${this.#plan.x} ${step}`;
  }

  /** At the cursor: the value, and where it is smoothed, the one as it came behind it. */
  #valueAt(index: number): string {
    const at = (columns: Column[] | null): number | null => columns?.[index]?.[this.#rows[index] ?? -1] ?? null;
    const text = (value: number | null): string => (value === null ? '–' : formatValue(value, this.#plan.unit));
    const { raw, smooth } = this.#plot;
    return smooth === null ? text(at(raw)) : `${text(at(smooth))} (${text(at(raw))})`;
  }

  #press(event: KeyboardEvent): void {
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (!isShortcut && this.#act(event.key, event.shiftKey ? 10 : 1)) {
      event.preventDefault();
    }
  }

  /** Do what a key asks for; false where it is none of ours. */
  #act(key: string, stride: number): boolean {
    const [first, last] = this.#seen();
    const moves: Record<string, number> = {
      ArrowLeft: (this.#row ?? last + 1) - stride,
      ArrowRight: (this.#row ?? first - 1) + stride,
      Home: first,
      End: last
    };
    const target = moves[key];
    if (target === undefined) {
      return key === 'Escape' && this.#leave();
    }
    this.#go(target);
    return true;
  }

  #leave(): boolean {
    const isBusy = this.#zoom !== null || this.#row !== null;
    this.#chart?.point(null);
    this.#zoomTo(null);
    return isBusy;
  }

  /** The rows that the zoom leaves in sight. */
  #seen(): [number, number] {
    const { x } = this.#plot;
    const [from, to] = this.#zoom ?? [-Infinity, Infinity];
    const first = x.findIndex(value => value >= from);
    const after = x.findIndex(value => value > to);
    return [Math.max(first, 0), Math.max(after < 0 ? x.length - 1 : after - 1, 0)];
  }

  #go(wanted: number): void {
    const [first, last] = this.#seen();
    const row = Math.min(Math.max(wanted, first), last);
    if (this.#chart === null || this.#plot.x.length === 0) {
      return;
    }
    this.#chart.point(row);
    this.#row = row; // of several points at the same x the chart finds but one
    const said = this.#plan.labels.map((label, index) => `${shortened(label)} ${this.#valueAt(index)}`);
    this.#voice.announce(`${this.#placeText()}: ${listed(said)}`);
  }

  #zoomTo(zoom: Range | null): void {
    if (this.#unzoom === document.activeElement && zoom === null) {
      this.holder.focus(); // the button goes
    }
    this.#zoom = zoom;
    this.#unzoom.hidden = zoom === null;
    this.isStale = true;
    this.#wake();
  }

  #savePicture(): void {
    if (this.#chart?.canvas && this.#theme) {
      const made = chartImage(this.#chart.canvas, this.#plan, this.#theme);
      const { title } = this.#plan;
      made.toBlob(blob => blob && saveBlob(blob, `${fileName(title)}.png`));
    }
  }
}

/** All but the points that decides what a card shows, to be compared. */
function lookOf({ labels, styles, note }: ChartSpec, look: ChartSettings): string {
  return JSON.stringify([labels, styles, note, look]);
}

/** Whether there is more than one point to be seen. */
function hasSeveral(column: Column): boolean {
  let count = 0;
  return column.some(value => value != null && (count += 1) > 1);
}

function shortened(label: string): string {
  return label.length > 40 ? `${label.slice(0, 19)}…${label.slice(-20)}` : label; // the end may be all that differs
}

/** The first few, to be read out. */
function listed(parts: string[]): string {
  return [...parts.slice(0, SPOKEN).map(part => part.trim()), ...(parts.length > SPOKEN ? ['…'] : [])].join('; ');
}
