// @vitest-environment jsdom

import { afterEach, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';

import {
  Chart,
  type ChartListener,
  type ChartMaker,
  type Frame,
  loadCharts,
  type Range
} from '../../src/charts/chart.js';
import type { Plot } from '../../src/charts/series.js';
import { patternOf, readTheme } from '../../src/charts/theme.js';

const { NaN: nan } = Number;

/** What a canvas was told to write since the last look. jsdom has no canvas of its own. */
let written: string[] = [];

function pen(canvas: HTMLCanvasElement): unknown {
  const own: Record<string, unknown> = {
    canvas,
    fillText: (text: string) => written.push(text),
    measureText: () => ({ width: 40 })
  };
  return new Proxy(own, { get: (target, name) => target[String(name)] ?? (() => undefined), set: () => true });
}

class Path {
  static made = 0;
  arc(): void {
    Path.made += 1;
  }
  moveTo(): void {}
  lineTo(): void {}
  rect(): void {}
}

/** The charts' library asks for these as soon as it is loaded. */
let makeChart: ChartMaker;
beforeAll(async () => {
  vi.stubGlobal('matchMedia', () => new EventTarget());
  vi.stubGlobal('Path2D', Path);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(function (this: HTMLCanvasElement) {
    return pen(this) as never;
  });
  makeChart = await loadCharts();
});

/** What a chart has told its owner. */
class Owner implements ChartListener {
  row: number | null = null;
  rows: readonly (number | null)[] = [];
  zooms: (Range | null)[] = [];

  moved(row: number | null, rows: readonly (number | null)[]): void {
    [this.row, this.rows] = [row, rows];
  }

  chosen(zoom: Range | null): void {
    this.zooms.push(zoom);
  }
}

let holder: HTMLElement;
let owner: Owner;
let chart: Chart;

beforeEach(() => {
  holder = document.createElement('div');
  document.body.append(holder);
  owner = new Owner();
  chart = makeChart(holder, 'group', owner);
});

afterEach(() => {
  chart.dispose();
  document.body.replaceChildren();
});

function plotted(x: number[], ...raw: Plot['raw']): Plot {
  return { x, raw, smooth: null, isLog: false };
}

function frame(plot: Plot, changes: Partial<Frame> = {}): Frame {
  return {
    plot,
    styles: plot.raw.map((_, index) => index),
    axis: 'step',
    unit: '',
    fromZero: false,
    zoom: null,
    theme: readTheme(holder),
    width: 400,
    height: 200,
    ...changes
  };
}

async function draw(wanted: Frame, drawn: Chart = chart): Promise<string[]> {
  written = [];
  drawn.draw(wanted);
  await Promise.resolve(); // it paints in a microtask
  return written;
}

function over(within: HTMLElement = holder): HTMLElement {
  return within.querySelector<HTMLElement>('.u-over') ?? within;
}

function mouse(type: string, clientX: number, target: EventTarget = over()): void {
  const event = new MouseEvent(type, { clientX, clientY: 50, bubbles: true });
  Object.defineProperty(event, 'movementX', { value: 1 });
  target.dispatchEvent(event);
}

const LINE = plotted([0, 10, 20, 30, 40], [1, 2, 3, 4, 5]);

describe('a chart', () => {
  it('has a canvas once it is drawn, until it is disposed of', async () => {
    expect(chart.canvas).toBeNull();
    await draw(frame(LINE));
    expect(holder.querySelectorAll('canvas')).toHaveLength(1);
    chart.dispose();
    expect([chart.canvas, holder.childElementCount]).toEqual([null, 0]);
  });

  it('keeps its canvas when only the data are new', async () => {
    await draw(frame(LINE));
    const before = chart.canvas;
    await draw(frame(plotted([0, 100], [1, 9])));
    expect(chart.canvas).toBe(before);
  });

  it.each<[string, Partial<Frame>]>([
    ['another axis', { axis: 'time' }],
    ['another theme', { theme: { text: 'red', grid: 'red', background: 'red', font: '9px x', lines: ['red'] } }],
    ['smooth lines', { plot: { ...LINE, smooth: LINE.raw } }],
    ['a log scale', { plot: { ...LINE, isLog: true } }],
    ['more lines', { plot: plotted([1], [1], [2]) }]
  ])('is one canvas also with %s', async (_, changes) => {
    await draw(frame(LINE));
    await draw(frame(LINE, changes));
    expect(holder.querySelectorAll('canvas')).toHaveLength(1);
  });

  it('zooms and shows all again on the same canvas', async () => {
    await draw(frame(LINE));
    const before = chart.canvas;
    const near = await draw(frame(LINE, { zoom: [10, 20] }));
    const all = await draw(frame(LINE));
    expect([near.includes('12'), near.includes('40')]).toEqual([true, false]);
    expect([all.includes('12'), all.includes('40')]).toEqual([false, true]);
    expect(chart.canvas).toBe(before);
  });

  it('takes another size', async () => {
    await draw(frame(LINE));
    await draw(frame(LINE, { width: 300 }));
    expect(chart.canvas?.width).toBe(300 * devicePixelRatio);
  });
});

describe('the axes say', () => {
  test.each<[string, Partial<Frame>, string[]]>([
    ['steps', {}, ['0', '10', '20', '30', '40']],
    ['times', { axis: 'time', plot: plotted([0, 3_600], [1, 2]) }, ['00:00', '15:00', '1:00:00']],
    ['bytes', { unit: 'B', fromZero: true, plot: plotted([0, 1], [2 ** 30, 3 * 2 ** 30]) }, ['0 B', '1 GB', '3 GB']],
    ['shares', { unit: 'ratio', fromZero: true, plot: plotted([0, 1], [0.5, 1]) }, ['0 %', '20 %', '100 %']],
    ['small numbers', { plot: plotted([0, 1], [0.0001, 0.0005]) }, ['0.0001', '0.0002', '0.0005']],
    ['powers', { plot: { ...plotted([0, 1], [1, 1_000]), isLog: true } }, ['1', '10', '100', '1000']],
    ['only what is zoomed in on', { zoom: [10, 20] }, ['10', '12', '20']]
  ])('%s', async (_, changes, ticks) => {
    expect(await draw(frame(LINE, changes))).toEqual(expect.arrayContaining(ticks));
  });

  test('digits enough to tell ticks apart', async () => {
    const said = await draw(frame(plotted([0, 1], [0.123456, 0.123459])));
    expect(new Set(said).size).toBe(said.length);
  });
});

describe('points', () => {
  test.each<[string, (number | null)[], number]>([
    ['of a single value are shown', [7], 1],
    ['of a short line are shown', Array.from({ length: 49 }, (_, index) => index), 49],
    ['of a long line are not', Array.from({ length: 50 }, (_, index) => index), 0],
    ['that stand alone between gaps are', Array.from({ length: 120 }, (_, index) => (index % 2 ? null : index)), 60]
  ])('%s', async (_, column, count) => {
    Path.made = 0;
    await draw(
      frame(
        plotted(
          column.map((_value, index) => index),
          column
        )
      )
    );
    expect(Path.made).toBe(count);
  });
});

test.each<[string, Plot]>([
  ['no points', plotted([], [])],
  ['only gaps', plotted([1, 2], [null, null])],
  ['only gaps on a log scale', { ...plotted([1, 2], [null, null]), isLog: true }],
  ['a constant zero', plotted([1, 2], [0, 0])],
  ['nearly the largest numbers', plotted([1, 2], [-9e99, 9e99])],
  ['nearly the smallest', plotted([1, 2], [5e-324, 1e-320])],
  ['a small change of a large number', plotted([1, 2], [1e17, 1e17 + 16])],
  ['nanoseconds since 1970', plotted([1, 2], [1.79e18, 1.79e18 + 512])],
  ['a flight of such steps', plotted([1.79e18, 1.79e18 + 512], [1, 2])],
  ['large numbers on a log scale', { ...plotted([1, 2], [1e50, 1e60]), isLog: true }],
  ['one small number on a log scale', { ...plotted([1, 2], [1e-90, 1e-90]), isLog: true }],
  ['the smallest numbers on a log scale', { ...plotted([1, 2], [5e-324, 1e-300]), isLog: true }],
  ['two hundred powers of ten', { ...plotted([1, 2], [1e-99, 1e99]), isLog: true }],
  ['enormous steps', plotted([1e17, 1e300], [1, 2])],
  ['the same step twice', plotted([5, 5], [1, 2])]
])('%s neither hang nor throw', async (_, plot) => {
  await draw(frame(plot));
  await draw(frame(plot, { axis: 'time' }));
  expect(chart.canvas).not.toBeNull();
});

describe('the cursor', () => {
  beforeEach(() => draw(frame(plotted([0, 10, 20, 30, 40], [1, 2, 3, 4, 5], [1, undefined, 3, undefined, undefined]))));

  it('tells the row that the mouse is at, and the nearest point of every line', () => {
    mouse('mousemove', 0);
    expect([owner.row, owner.rows]).toEqual([0, [0, 0]]);
    mouse('mousemove', 10_000);
    expect([owner.row, owner.rows]).toEqual([4, [4, 2]]);
  });

  it('tells that the mouse has left', () => {
    mouse('mousemove', 0);
    mouse('mouseleave', -1);
    expect(owner.row).toBeNull();
  });

  it('can be put to a row, and away', () => {
    chart.point(3);
    expect(owner.row).toBe(3);
    chart.point(null);
    expect(owner.row).toBeNull();
  });

  it('tells anew what it points at when the data have changed', async () => {
    chart.point(4);
    await draw(frame(plotted([0, 40], [1, 9], [1, 9])));
    expect(owner.row).toBe(1);
  });
});

describe('charts of one group', () => {
  let second: HTMLElement;
  let other: Owner;
  let twin: Chart;

  async function beside(group: string): Promise<void> {
    second = document.createElement('div');
    document.body.append(second);
    other = new Owner();
    twin = makeChart(second, group, other);
    await draw(frame(plotted([0, 5, 10, 15, 20], [1, 2, 3, 4, 5])), twin);
    await draw(frame(LINE));
  }

  afterEach(() => twin.dispose());

  it('show the cursor at the same x', async () => {
    await beside('group');
    chart.point(1);
    expect(other.row).toBe(2);
    chart.point(null);
    expect(other.row).toBeNull();
  });

  it('show none where its x is out of sight', async () => {
    await beside('group');
    chart.point(1);
    chart.point(4);
    expect(other.row).toBeNull();
  });

  it('do not zoom each other', async () => {
    await beside('group');
    mouse('mousedown', 50);
    mouse('mousemove', 200);
    mouse('mouseup', 200, document);
    expect([owner.zooms.length, other.zooms.length]).toEqual([1, 0]);
  });

  it('leave those of another group alone', async () => {
    await beside('another');
    chart.point(1);
    expect(other.row).toBeNull();
  });
});

describe('choosing with the mouse', () => {
  beforeEach(() => draw(frame(LINE)));

  it('asks for the part of x between press and release', () => {
    mouse('mousedown', 100);
    mouse('mousemove', 200);
    mouse('mouseup', 200, document);
    const [from, to] = owner.zooms[0] ?? [nan, nan];
    expect(owner.zooms).toHaveLength(1);
    expect(from).toBeGreaterThan(0);
    expect(to).toBeGreaterThan(from);
    expect(to).toBeLessThan(40);
  });

  it('asks for nothing on a click', () => {
    mouse('mousedown', 100);
    mouse('mouseup', 101, document);
    expect(owner.zooms).toEqual([]);
  });

  it('asks for everything on a double click', () => {
    mouse('dblclick', 100);
    expect(owner.zooms).toEqual([null]);
  });
});

test('the first 24 lines differ in colour or dashes', () => {
  const colours = readTheme(document.body).lines.length;
  const look = (index: number): string => [index % colours, ...patternOf(index).dash].join();
  const looks = Array.from({ length: 24 }, (_, index) => look(index));
  expect(new Set(looks).size).toBe(24);
});

test('the theme follows the variables of CSS', () => {
  document.body.style.setProperty('--pj-series-1', ' tomato ');
  const { lines } = readTheme(document.body);
  document.body.style.removeProperty('--pj-series-1');
  expect(lines.slice(0, 2)).toEqual(['#808080', 'tomato']);
});
