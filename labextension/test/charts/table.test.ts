// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { open, press, set, stage } from './metricstab.js';
import { cells, find, given } from './stage.js';

describe('the table', () => {
  const tables = (): Element[] => [...document.querySelectorAll('table')];

  it('has every line, and the points of the one that is chosen', async () => {
    await open(given('loss', [3, NaN, Infinity, 2], { count: 400 }), given('acc', [0.5]));
    await press('Table');
    expect(find('.pj-JobView-cards').hidden).toBe(true);
    expect(cells(tables()[0])).toEqual([
      ['acc', 'worker-0', '0.5', '0.5', '0.5', '1', '0'],
      ['loss', 'worker-0', '2', '2', '3', '400', '2']
    ]);
    const choice = find<HTMLSelectElement>('.pj-JobView-tables select');
    choice.value = choice.options[1]?.value ?? '';
    choice.dispatchEvent(new Event('change'));
    expect(cells(tables()[1])).toEqual([
      ['1', '00:01', '3'],
      ['2', '00:02', 'nan'],
      ['3', '00:03', 'inf'],
      ['4', '00:04', '2']
    ]);
    const note = find('.pj-JobView-tables .pj-JobView-quiet');
    expect(note.textContent).toBe('The last 4 of 400 values; CSV has 4 of them.');
  });

  it('has two hundred points at most, the last ones', async () => {
    await open(
      given(
        'loss',
        Array.from({ length: 500 }, (_, index) => index)
      )
    );
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
    vi.stubGlobal(
      'URL',
      class extends URL {
        static override createObjectURL(blob: Blob): string {
          last = blob;
          return 'blob:x';
        }
        static override revokeObjectURL(): void {}
      }
    );
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
    await open(given('train/loss: <a>', [0.5, 0.25]));
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(call => call(new Blob(['png'])));
    await press('PNG');
    expect(saved.map(([name]) => name)).toEqual(['train-loss-a-.png']);
  });
});
