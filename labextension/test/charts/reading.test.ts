// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { box, legend, open, press, set, stage } from './metricstab.js';
import { find, given, type Given, settled } from './stage.js';

async function type(title: string, ...keys: (string | KeyboardEventInit)[]): Promise<boolean[]> {
  const holder = stage.chart(title).canvas?.parentElement;
  const taken = keys.map(key => {
    const init = typeof key === 'string' ? { key } : key;
    return holder?.dispatchEvent(new KeyboardEvent('keydown', { ...init, cancelable: true })) === false;
  });
  await settled();
  return taken;
}

function place(title: string): string {
  return stage.chart(title).canvas?.closest('.pj-JobView-card')?.querySelector('.pj-JobView-quiet')?.textContent ?? '';
}

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
    await open(given('a', [1, 1]), given('b', [1, 1]));
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
    expect([place('loss'), legend('loss')]).toEqual(['', [['Last value', '2', 'min 1, max 3']]]);
    stage.chart('loss').point(1);
    expect([place('loss'), legend('loss')]).toEqual(['step 2', [['step 2', '1', 'min 1, max 3']]]);
  });

  it('has the smoothed value with the raw one', async () => {
    await open(given('loss', [1, 3]));
    await set(box('Smoothing'), '0.5');
    stage.chart('loss').point(1);
    expect(legend('loss')[0]?.[1]).toBe('2.333 (3)');
  });

  it('has a dash where there is nothing', async () => {
    await open(given('loss', [1, NaN, 2]));
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
      'step 1: 0',
      'step 2: 1',
      'step 12: 11',
      'step 30: 29',
      'step 30: 29',
      'step 29: 28',
      'step 1: 0'
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

  it('tell four lines at most, each name cut in its middle', async () => {
    const replicas = Array.from({ length: 6 }, (_, index) => `${index}${'x'.repeat(99)}`);
    await open(...replicas.map((replica, index) => given('loss', [index, index], { replica })));
    await type('loss', 'Home');
    expect(stage.spoken[0]).toMatch(/^step 1: 0x{18}…x{20} 0; 1x{18}…x{20} 1; 2x{18}…x{20} 2; 3x{18}…x{20} 3; …$/);
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

  it('are none where there are no points', async () => {
    await open(given('loss', []));
    find('.pj-JobView-plot').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
    await settled();
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
