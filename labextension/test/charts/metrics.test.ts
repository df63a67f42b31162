// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { metricsPane } from '../../src/charts/metrics.js';
import type { Pane } from '../../src/tokens.js';
import { cells, find, given, type Given, settled, Stage, titles } from './stage.js';

let stage: Stage;
let pane: Pane | null = null;

beforeEach(() => {
  stage = new Stage();
});

afterEach(() => {
  pane?.dispose();
  pane = null;
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

async function open(...held: Given[]): Promise<Pane> {
  pane = await stage.open(metricsPane, ...held);
  return pane;
}

async function set(input: HTMLInputElement | HTMLSelectElement, value: string): Promise<void> {
  input.value = value;
  ['input', 'change'].forEach(type => input.dispatchEvent(new Event(type, { bubbles: true })));
  await settled();
}

function box(label: string): HTMLInputElement {
  return find(`label`, label).querySelector('input') ?? document.createElement('input');
}

async function press(label: string): Promise<void> {
  find('button', label).click();
  await settled();
}

async function type(title: string, ...keys: (string | KeyboardEventInit)[]): Promise<boolean[]> {
  const holder = stage.chart(title).canvas?.parentElement;
  const taken = keys.map(key => {
    const init = typeof key === 'string' ? { key } : key;
    return holder?.dispatchEvent(new KeyboardEvent('keydown', { ...init, cancelable: true })) === false;
  });
  await settled();
  return taken;
}

function legend(title: string): string[][] {
  const card = stage.chart(title).canvas?.closest('.pj-JobView-card');
  const rows = [...(card?.querySelectorAll('.pj-JobView-legendLine') ?? [])];
  return rows.map(row => [...row.querySelectorAll('span:not(.pj-JobView-swatch)')].map(part => part.textContent ?? ''));
}

function place(title: string): string {
  return stage.chart(title).canvas?.closest('.pj-JobView-card')?.querySelector('.pj-JobView-quiet')?.textContent ?? '';
}

describe('the series', () => {
  it('are asked for when the tab is shown, live, and not before', async () => {
    pane = metricsPane(stage.context);
    await settled();
    expect(stage.source.heard).toEqual([]);
    pane.show(true);
    await settled();
    expect(stage.source.heard).toEqual([['points', { group: 'metrics', live: true }]]);
  });

  it('are live no more while the tab is hidden, and are asked for again when it is shown', async () => {
    const shown = await open(given('loss', [1]));
    shown.show(false);
    shown.show(true);
    shown.show(true);
    await settled();
    const lives = stage.source.heard.map(([, asked]) => (asked as { live: boolean }).live);
    expect(lives).toEqual([true, false, true]);
  });

  it('are asked for again when the server begins anew', async () => {
    await open(given('loss', [1]));
    stage.held = [given('loss', [1, 2])];
    stage.source.snapshot();
    await settled();
    expect(stage.chart('loss').frame?.plot.raw).toEqual([[1, 2]]);
  });

  it('are replaced, whole, by those that are pushed', async () => {
    await open(given('loss', [1]), given('acc', [9]));
    await stage.push(given('loss', [1, 2]));
    expect([stage.chart('loss').frame?.plot.raw, stage.chart('acc').frame?.plot.raw]).toEqual([[[1, 2]], [[9]]]);
  });

  it('that were pushed while the answer was on its way are newer than the answer', async () => {
    stage.source.go('busy');
    pane = metricsPane(stage.context, async () => { throw new Error('no charts'); });
    document.body.append(pane.element);
    pane.show(true);
    const { series, buffer } = given('loss', [1, 2, 3]);
    pane.update({ kind: 'points', group: 'metrics', series: [series], notes: [], seq: 0 }, [buffer]);
    stage.held = [given('loss', [1])];
    stage.source.go('live');
    await settled();
    await press('Table');
    expect(cells(document.querySelector('table'))).toEqual([['loss', 'worker-0', '3', '1', '3', '3', '0']]);
  });

  it('say what is not in them, as text, as soon as that is known', async () => {
    await open(given('loss', [1]));
    const note = (): HTMLElement => find('.pj-JobView-charts > .pj-JobView-quiet');
    expect(note().hidden).toBe(true);
    stage.notes = ['More than 400 series.', 'Damaged: \x1b[1m<img src=x>.'];
    await stage.push(given('loss', [1, 2]));
    expect([note().hidden, note().textContent]).toEqual([false, 'More than 400 series. Damaged: <img src=x>.']);
    stage.notes = [];
    stage.source.snapshot();
    await settled();
    expect(note().hidden).toBe(true);
  });

  it('of another tab are none of its business', async () => {
    await open(given('loss', [1]));
    await stage.push(given('cpu', [1], { source: 'usage' }));
    expect(titles()).toEqual(['loss']);
  });

  it('that cannot be had are excused with the sentence for the user, until another try', async () => {
    stage.source.refuse('points', 'The job folder is gone.');
    await open(given('loss', [1]));
    expect(find('[role=status]').textContent).toBe('The job folder is gone.');
    stage.source.allow('points');
    await press('Try again');
    expect([titles(), find('button', 'Try again').hidden]).toEqual([['loss'], true]);
  });

  it('that are not there make room for what to do', async () => {
    await open();
    expect(find('[role=status]').textContent).toContain('PAI_OUTPUT_TENSORBOARD');
    expect(find('.pj-JobView-tools').hidden).toBe(true);
  });
});

describe('the charts', () => {
  it('are one a metric, by name, replicas in one', async () => {
    await open(given('loss10', [1]), given('loss2', [1]), given('loss2', [3], { replica: 'chief-0' }));
    expect(titles()).toEqual(['loss2', 'loss10']);
    expect(stage.chart('loss2').frame?.plot.raw).toEqual([[3], [1]]);
    expect(legend('loss2').map(([label]) => label)).toEqual(['chief-0', 'worker-0']);
  });

  it('tell a metric of the log and one of TensorBoard apart', async () => {
    await open(given('loss', [1]), given('loss', [2], { source: 'tensorboard' }));
    expect(legend('loss').map(([label]) => label)).toEqual(['', 'TensorBoard']);
    await stage.push(given('loss', [3], { source: 'tensorboard', replica: 'run/a' }));
    const labels = legend('loss').map(([label]) => label);
    expect(labels).toEqual(['run/a · TensorBoard', 'worker-0', 'worker-0 · TensorBoard']);
  });

  it('are all in one when that is wished', async () => {
    await open(given('loss', [1]), given('acc', [2]));
    await press('One chart');
    expect([titles(), legend('All metrics').map(([label]) => label)]).toEqual([['All metrics'], ['acc', 'loss']]);
    await press('One chart');
    expect(titles()).toEqual(['acc', 'loss']);
  });

  it('hold sixteen lines, and say where the others are', async () => {
    await open(...Array.from({ length: 20 }, (_, index) => given('loss', [index], { replica: `worker-${index}` })));
    expect(stage.chart('loss').frame?.plot.raw).toHaveLength(16);
    expect(find('.pj-JobView-legendNote', 'first 16 of 20').textContent).toContain('table');
  });

  it('are those whose name has the filter in it, whatever its case and signs', async () => {
    await open(given('Train/Loss (a+b)', [1]), given('acc', [1]));
    await set(find('[type=search]'), ' loss (A+');
    expect(titles()).toEqual(['Train/Loss (a+b)']);
    await set(find('[type=search]'), 'nothing like it');
    expect([titles(), find('[role=status]').textContent]).toEqual([[], 'No name has this in it.']);
  });

  it('show what the controls say', async () => {
    await open(given('loss', [1, 10]));
    await set(find<HTMLSelectElement>('select'), 'time');
    await press('Log scale');
    await set(box('Smoothing'), '0.5');
    const frame = stage.chart('loss').frame;
    expect([frame?.axis, frame?.plot.x]).toEqual(['time', [1, 2]]);
    expect([frame?.plot.isLog, frame?.plot.smooth]).toEqual([true, [[1, 5.25 / 0.75]]]);
    expect(find('output').textContent).toBe('0.5');
  });

  it('show names as text, without escapes', async () => {
    const name = '<img src=x onerror="hurt()">\x1b[31m训练';
    await open(given(name, [1]), given(name, [2], { replica: '<b>r</b>' }));
    expect(titles()).toEqual(['<img src=x onerror="hurt()">训练']);
    expect(legend('<img src=x onerror="hurt()">训练').map(([label]) => label)).toEqual(['<b>r</b>', 'worker-0']);
    expect(document.querySelector('img, b')).toBeNull();
  });

  it('that did not change are not drawn again', async () => {
    await open(given('loss', [1]), given('acc', [1]));
    const before = stage.chart('acc').draws;
    await stage.push(given('loss', [1, 2]));
    expect([stage.chart('acc').draws - before, stage.chart('loss').draws]).toEqual([0, 2]);
  });

  it('stay themselves, and keep the focus, when another metric comes', async () => {
    await open(given('b', [1]));
    const kept = stage.chart('b').canvas?.parentElement;
    kept?.focus();
    await stage.push(given('a', [1]));
    expect([titles(), document.activeElement === kept]).toEqual([['a', 'b'], true]);
  });

  it('are not drawn while the tab is hidden', async () => {
    const shown = await open(given('loss', [1]));
    shown.show(false);
    await stage.push(given('loss', [1, 2]));
    expect(stage.charts.map(chart => chart.draws)).toEqual([1]);
  });

  it('take another skin with another theme', async () => {
    await open(given('loss', [1]));
    document.querySelector<HTMLElement>('.pj-JobView-cards')?.style.setProperty('--pj-text', 'rgb(1, 2, 3)');
    document.body.dataset['jpThemeLight'] = 'false';
    await settled();
    expect(stage.chart('loss').frame?.skin.text).toBe('rgb(1, 2, 3)');
  });

  it('say to a screen reader what they show', async () => {
    await open(given('loss', [3, 1, 2]));
    const canvas = stage.chart('loss').canvas;
    expect(canvas?.getAttribute('role')).toBe('img');
    expect(canvas?.getAttribute('aria-label')).toBe('loss: last 2, min 1, max 3');
  });

  it('that cannot be loaded leave a sentence and the table', async () => {
    let tries = 0;
    stage.held = [given('loss', [1])];
    pane = metricsPane(stage.context, async () => { throw new Error(`404, the ${(tries += 1)}. time`); });
    document.body.append(pane.element);
    pane.show(true);
    await settled();
    expect([find('[role=status]').textContent, tries]).toEqual([expect.stringContaining('Reload'), 1]);
    await press('Try again');
    expect(tries).toBe(2);
    await press('Table');
    expect(cells(document.querySelector('table'))).toHaveLength(1);
  });
});

describe('charts out of sight', () => {
  let see: (isSeen: boolean, ...cards: Element[]) => void;

  beforeEach(() => {
    class Sight {
      constructor(call: (entries: { target: Element; isIntersecting: boolean }[]) => void) {
        see = (isIntersecting, ...cards) => call(cards.map(target => ({ target, isIntersecting })));
      }
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    }
    vi.stubGlobal('IntersectionObserver', Sight);
  });

  it('have no canvas, get one in sight, and give it back', async () => {
    await open(given('a', [1]), given('b', [1]));
    expect(stage.charts).toHaveLength(0);
    const [first] = [...document.querySelectorAll('.pj-JobView-plot')];
    see(true, first ?? document.body);
    await settled();
    expect(stage.charts.map(chart => chart.isDisposed)).toEqual([false]);
    see(false, first ?? document.body);
    expect(stage.charts.map(chart => chart.isDisposed)).toEqual([true]);
  });

  it('come back with the newest data and with their zoom', async () => {
    await open(given('a', [1, 2]));
    const card = document.querySelector('.pj-JobView-plot') ?? document.body;
    see(true, card);
    await settled();
    stage.chart('a').listener.chosen([1, 2]);
    see(false, card);
    await stage.push(given('a', [1, 2, 3]));
    see(true, card);
    await settled();
    expect([stage.chart('a').frame?.zoom, stage.chart('a').frame?.plot.raw]).toEqual([[1, 2], [[1, 2, 3]]]);
  });
});

describe('the legend', () => {
  it('has the last value and the range, and at the cursor what lies there', async () => {
    await open(given('loss', [3, 1, 2]));
    expect([place('loss'), legend('loss')]).toEqual(['', [['last', '2', 'min 1, max 3']]]);
    stage.chart('loss').point(1);
    expect([place('loss'), legend('loss')]).toEqual(['step 2', [['', '1', 'min 1, max 3']]]);
  });

  it('has the smoothed value with the raw one', async () => {
    await open(given('loss', [1, 3]));
    await set(box('Smoothing'), '0.5');
    stage.chart('loss').point(1);
    expect(legend('loss')[0]?.[1]).toBe('2.333 (3)');
  });

  it('has a dash where there is nothing', async () => {
    await open(given('loss', [1, NaN]));
    stage.chart('loss').point(1);
    expect(legend('loss')[0]?.[1]).toBe('–');
  });
});

describe('the keys', () => {
  const ten = Array.from({ length: 30 }, (_, index) => index);

  it('move the cursor and tell what is there', async () => {
    await open(given('loss', ten));
    await type('loss', 'ArrowRight', 'ArrowRight', { key: 'ArrowRight', shiftKey: true });
    await type('loss', 'End', 'ArrowRight', 'ArrowLeft', 'Home');
    expect(stage.spoken).toEqual([
      'step 1: 0', 'step 2: 1', 'step 12: 11', 'step 30: 29', 'step 30: 29', 'step 29: 28', 'step 1: 0'
    ]);
  });

  it('pass through points of the same moment', async () => {
    const same: Given = { ...given('loss', [1, 2, 3]), buffer: Float64Array.from([1, 2, 3, 5, 5, 5, 1, 2, 3]).buffer };
    await open(same);
    await set(find<HTMLSelectElement>('select'), 'time');
    const chart = stage.chart('loss');
    const rows: (number | null)[] = [];
    chart.point = row => {
      rows.push(row);
      chart.listener.moved(0, [0]); // as a chart does, which finds the first of them
    };
    await type('loss', 'ArrowRight', 'ArrowRight', 'ArrowRight');
    expect(rows).toEqual([0, 1, 2]);
  });

  it('tell four lines at most, each name cut', async () => {
    const replicas = Array.from({ length: 6 }, (_, index) => `${index}${'x'.repeat(99)}`);
    await open(...replicas.map((replica, index) => given('loss', [index], { replica })));
    await type('loss', 'Home');
    expect(stage.spoken[0]).toMatch(/^step 1: 0x{39}… 0; 1x{39}… 1; 2x{39}… 2; 3x{39}… 3; …$/);
  });

  it('stay within the zoom, and Escape shows all', async () => {
    await open(given('loss', ten));
    stage.chart('loss').listener.chosen([10, 15.5]);
    await type('loss', 'End', 'ArrowRight', 'Home', 'ArrowLeft');
    expect(stage.spoken).toEqual(['step 15: 14', 'step 15: 14', 'step 10: 9', 'step 10: 9']);
    await type('loss', 'Escape');
    expect([stage.chart('loss').frame?.zoom, place('loss')]).toEqual([null, '']);
  });

  it('that mean nothing here go on', async () => {
    await open(given('loss', ten));
    const taken = await type('loss', 'x', 'Tab', 'Escape', { key: 'ArrowLeft', ctrlKey: true });
    expect(taken).toEqual([false, false, false, false]);
    expect(await type('loss', 'ArrowLeft', 'Escape')).toEqual([true, true]);
  });

  it('do nothing where there are no points', async () => {
    await open(given('loss', []));
    await type('loss', 'ArrowRight', 'End', 'Escape');
    expect(stage.spoken).toEqual([]);
  });
});

describe('a zoom', () => {
  it('has a button that ends it, and hands the focus on', async () => {
    await open(given('loss', [1, 2, 3]));
    const reset = find<HTMLButtonElement>('button', 'Reset zoom');
    expect(reset.hidden).toBe(true);
    stage.chart('loss').listener.chosen([1, 2]);
    await settled();
    expect([reset.hidden, stage.chart('loss').frame?.zoom]).toEqual([false, [1, 2]]);
    reset.focus();
    await press('Reset zoom');
    expect([reset.hidden, stage.chart('loss').frame?.zoom]).toEqual([true, null]);
    expect(document.activeElement).toBe(stage.chart('loss').canvas?.parentElement);
  });

  it('ends with its axis', async () => {
    await open(given('loss', [1, 2, 3]));
    stage.chart('loss').listener.chosen([1, 2]);
    await set(find<HTMLSelectElement>('select'), 'time');
    expect(stage.chart('loss').frame?.zoom).toBeNull();
  });
});

describe('the table', () => {
  const tables = (): Element[] => [...document.querySelectorAll('table')];

  it('has every line, and the points of the one that is chosen', async () => {
    await open(given('loss', [3, NaN, Infinity, 2], { count: 400 }), given('acc', [0.5]));
    await press('Table');
    expect(find('.pj-JobView-cards').hidden).toBe(true);
    expect(cells(tables()[0])).toEqual([
      ['acc', 'worker-0', '0.5', '0.5', '0.5', '1', '0'], ['loss', 'worker-0', '2', '2', '3', '400', '2']
    ]);
    const choice = find<HTMLSelectElement>('.pj-JobView-tables select');
    choice.value = choice.options[1]?.value ?? '';
    choice.dispatchEvent(new Event('change'));
    expect(cells(tables()[1])).toEqual([
      ['1', '00:01', '3'], ['2', '00:02', 'nan'], ['3', '00:03', 'inf'], ['4', '00:04', '2']
    ]);
    const note = find('.pj-JobView-tables .pj-JobView-quiet');
    expect(note.textContent).toBe('The last 4 of 400 values; CSV has 4 of them.');
  });

  it('has two hundred points at most, the last ones', async () => {
    await open(given('loss', Array.from({ length: 500 }, (_, index) => index)));
    await press('Table');
    const rows = cells(tables()[1]);
    expect([rows.length, rows[0]?.[0], rows.at(-1)?.[0]]).toEqual([200, '301', '500']);
  });

  it('changes its texts in place, and keeps what was chosen', async () => {
    await open(given('a', [1]), given('b', [5]));
    await press('Table');
    const choice = find<HTMLSelectElement>('.pj-JobView-tables select');
    choice.value = choice.options[1]?.value ?? '';
    choice.dispatchEvent(new Event('change'));
    const cell = tables()[0]?.querySelector('tbody td');
    await stage.push(given('b', [5, 6]), given('c', [7]));
    expect(tables()[0]?.querySelector('tbody td')).toBe(cell);
    expect(cells(tables()[1]).map(row => row[2])).toEqual(['5', '6']);
  });

  it('gives the charts their place back', async () => {
    await open(given('loss', [1]));
    await press('Table');
    await stage.push(given('loss', [1, 2]));
    await press('Table');
    expect(find('.pj-JobView-tables').hidden).toBe(true);
    expect(stage.chart('loss').frame?.plot.raw).toEqual([[1, 2]]);
  });
});

describe('saving', () => {
  const saved: [string, Blob][] = [];

  beforeEach(() => {
    saved.length = 0;
    let last = new Blob();
    vi.stubGlobal('URL', class extends URL {
      static override createObjectURL(blob: Blob): string { last = blob; return 'blob:x'; }
      static override revokeObjectURL(): void {}
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push([this.download, last]);
    });
  });

  afterEach(() => vi.restoreAllMocks());

  it('gives all series as CSV, also those that are filtered out', async () => {
    await open(given('=loss', [0.5]), given('acc', [1]));
    await set(find('[type=search]'), 'acc');
    await press('CSV');
    const [name, blob] = saved[0] ?? ['', new Blob()];
    expect([name, blob.type]).toEqual(['iris-3fa2c1-metrics.csv', 'text/csv']);
    const rows = ['name,replica,step,time,value', "'=loss,worker-0,1,1003,0.5", 'acc,worker-0,1,1003,1', ''];
    expect(blob.size).toBe(rows.join('\r\n').length);
  });

  it('gives a chart as a picture under a name that a file can have', async () => {
    await open(given('train/loss: <a>', [0.5]));
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(call => call(new Blob(['png'])));
    await press('PNG');
    expect(saved.map(([name]) => name)).toEqual(['train-loss-a-.png']);
  });
});

describe('disposing', () => {
  it('leaves no chart, no element and no listener', async () => {
    const shown = await open(given('loss', [1]));
    shown.dispose();
    document.body.dataset['jpThemeLight'] = 'true';
    await stage.push(given('loss', [1, 2]));
    expect(stage.charts.map(({ isDisposed, draws }) => [isDisposed, draws])).toEqual([[true, 1]]);
    expect(document.querySelector('.pj-JobView-charts')).toBeNull();
  });

  it('ends what was about to be drawn or answered', async () => {
    stage.held = [given('loss', [1])];
    pane = metricsPane(stage.context, async () => { throw new Error('too late'); });
    pane.show(true);
    const { element } = pane;
    pane.dispose();
    await settled();
    expect(element.textContent).not.toContain('Reload');
  });
});

it('speaks 中文', async () => {
  stage = new Stage('zh');
  await open(given('loss', [3, 1]));
  expect(find('.pj-JobView-tools').textContent).toContain('平滑');
  expect(legend('loss')[0]?.[2]).toBe('最小 1，最大 3');
});
