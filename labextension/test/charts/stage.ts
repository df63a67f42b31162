/** A stage for the tabs of charts: a source with series, and charts that remember what they show, with no canvas. */

import type { Chart, ChartListener, ChartMaker, Frame } from '../../src/charts/chart.js';
import { PushedModel } from '../../src/model.js';
import { type Language, translator } from '../../src/text/translation.js';
import type { Context, Host, Pane, Push, Series } from '../../src/tokens.js';
import { FakeSource, START } from '../fakes.js';
import { turns } from '../turns.js';

/** Shows a frame; its cursor goes where it is put. */
export class FakeChart implements Chart {
  frame: Frame | null = null;
  draws = 0;
  isDisposed = false;
  canvas: HTMLCanvasElement | null = null;

  constructor(
    holder: HTMLElement,
    readonly group: string,
    readonly listener: ChartListener
  ) {
    this.canvas = document.createElement('canvas');
    holder.append(this.canvas);
  }

  draw(frame: Frame): void {
    this.frame = frame;
    this.draws += 1;
  }

  point(row: number | null): void {
    this.listener.moved(
      row,
      (this.frame?.plot.raw ?? []).map(() => row)
    );
  }

  dispose(): void {
    this.isDisposed = true;
    this.canvas?.remove();
  }
}

export type Points = [step: number, time: number, value: number][];
export interface Given {
  series: Series;
  buffer: ArrayBuffer;
}

/** A series of these values at the steps 1, 2, 3, ..., a second apart. */
export function given(name: string, values: number[], changes: Partial<Series> = {}): Given {
  const steps = values.map((_, index) => index + 1);
  const times = steps.map(step => START + 2 + step);
  const length = values.length;
  const series: Series = { name, replica: 'worker-0', source: 'log', unit: '', length, count: length, ...changes };
  return { series, buffer: Float64Array.from([...steps, ...times, ...values]).buffer };
}

export class Stage {
  readonly source = new FakeSource();
  readonly charts: FakeChart[] = [];
  readonly spoken: string[] = [];
  readonly context: Context;
  readonly model = new PushedModel();
  held: Given[] = [];
  notes: string[] = [];
  private pane: Pane | null = null;

  constructor(language: Language = 'en', host: Partial<Host> = {}) {
    this.source.answers.points = () => {
      const ok = { series: this.held.map(({ series }) => series), notes: this.notes };
      return { ok, buffers: this.held.map(({ buffer }) => buffer) };
    };
    this.source.listen({ push: (push, buffers) => this.take(push, buffers) });
    this.context = {
      source: this.source,
      host: { language, ...host },
      model: this.model,
      say: translator(language),
      openLine: () => undefined,
      openLog: () => undefined,
      openOutput: () => undefined,
      announce: text => this.spoken.push(text)
    };
  }

  /** Put a pane into the page and show it; it has asked and drawn when this ends. */
  async open(make: (context: Context, load: () => Promise<ChartMaker>) => Pane, ...held: Given[]): Promise<Pane> {
    this.held = held;
    const load = async (): Promise<ChartMaker> => (holder, group, listener) => {
      const chart = new FakeChart(holder, group, listener);
      this.charts.push(chart);
      return chart;
    };
    this.source.snapshot();
    this.pane = make(this.context, load);
    document.body.append(this.pane.element);
    this.pane.show(true);
    await settled();
    return this.pane;
  }

  /** New points of a job that runs. */
  async push(...news: Given[]): Promise<void> {
    const group = news[0]?.series.source === 'usage' ? 'usage' : 'metrics';
    const series = news.map(item => item.series);
    this.source.push(
      { kind: 'points', group, series, notes: this.notes },
      news.map(({ buffer }) => buffer)
    );
    await settled();
  }

  /** The chart with this title, as it stands in the page. */
  chart(title: string): FakeChart {
    const cards = [...document.querySelectorAll('.pj-JobView-card')];
    const card = cards.find(one => one.querySelector('h4')?.textContent === title);
    const found = this.charts.find(chart => chart.canvas !== null && card?.contains(chart.canvas));
    if (found === undefined) {
      throw new Error(`no chart "${title}"`);
    }
    return found;
  }

  private take(push: Push, buffers: ArrayBuffer[]): void {
    this.model.push(push);
    this.pane?.update(push, buffers);
  }
}

/** What was asked for has come and is drawn. */
export const settled = (): Promise<void> => turns();

export function titles(): string[] {
  return [...document.querySelectorAll('.pj-JobView-card h4')].map(title => title.textContent ?? '');
}

export function find<E extends HTMLElement>(selector: string, text = ''): E {
  const found = [...document.querySelectorAll<E>(selector)].find(one => (one.textContent ?? '').includes(text));
  if (found === undefined) {
    throw new Error(`no ${selector} "${text}"`);
  }
  return found;
}

/** What a table says, row by row. */
export function cells(table: Element | undefined | null): string[][] {
  const rows = [...(table?.querySelectorAll('tbody tr') ?? [])];
  return rows.map(row => [...row.children].map(cell => cell.textContent ?? ''));
}
