// @vitest-environment jsdom
/** Values and metrics of many jobs of the table: what is asked for, and what is drawn of it. */

import { describe, expect, it, vi } from 'vitest';

import { panelSay } from '../../src/panel/translation.js';
import type { TableAnswer, TableAsked, TableColumn } from '../../src/table/protocol.js';
import { keysOf, type TrialsAsked, TrialsPane, trialsOf } from '../../src/table/trials.js';

const COLUMNS = ['job:name', 'value:lr', 'value:opt', 'last:acc', 'min:acc'].map((key): TableColumn => {
  return { key, title: key, part: 'job', kind: 'number', is_shown: true };
});
const ASKED: TrialsAsked = { text: 'a', sort: 's', descending: true, ids: [], columns: COLUMNS, version: '1' };

/** A server with so many jobs, and a pane that is seen. */
function pane(count: number): { made: TrialsPane; asked: TableAsked[] } {
  const asked: TableAsked[] = [];
  const ask = (body: TableAsked): Promise<TableAnswer> => {
    asked.push(body);
    const places = body.ids ?? Array.from({ length: count }, (_, at) => `j${at}`).slice(body.start ?? 0);
    const lines = places.slice(0, body.limit ?? 0).map(id => {
      const number = Number(id.slice(1));
      return { id, name: id, cells: [number / count, number % 2 ? 'adam' : null, number === 3 ? 'nan' : -number] };
    });
    return Promise.resolve({ version: '1', lines, count, jobs: body.ids?.length ?? count, total: count });
  };
  const made = new TrialsPane(panelSay('en'), ask);
  made.show(true);
  return { made, asked };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
  }
}

describe('the jobs of lines', () => {
  it('have the values and metrics that they have', () => {
    const keys = keysOf(COLUMNS);
    expect(keys).toEqual(['value:lr', 'value:opt', 'last:acc']);
    const [one, other, ...more] = trialsOf(
      [
        { id: 'j1', name: 'x', cells: [0.1, null, 'nan'] },
        { id: 'j2', cells: ['auto', true, 3] },
        { group: 'g', cells: [] }
      ],
      keys
    );
    expect(one).toEqual({ name: 'x', values: { lr: 0.1 }, metrics: { acc: NaN } });
    expect(other).toEqual({ name: 'j2', values: { lr: 'auto', opt: true }, metrics: { acc: 3 } });
    expect(more).toEqual([]);
  });
});

describe('the picture', () => {
  it('has a thousand jobs as a few paths, and their rank correlation', async () => {
    const { made, asked } = pane(3_000);
    made.update(ASKED);
    await settled();
    expect(asked.map(({ start, limit, text }) => [start, limit, text])).toEqual([
      [0, 500, 'a'],
      [500, 500, 'a']
    ]);
    expect(made.element.textContent).toContain('The first 1000 of 3000 jobs.');
    const paths = [...made.element.querySelectorAll('path')];
    expect(paths.length).toBeLessThan(20);
    const lines = paths.map(path => path.getAttribute('d')?.match(/M/g)?.length ?? 0);
    expect(lines.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(500);
    expect(made.element.textContent).toContain('Not drawn: 500 of 1000 jobs (no opt).'); // which is between the others
    expect(made.element.querySelector('tbody')?.textContent).toBe('lr−1999');
  });

  it('has the selected jobs alone, asked for by their ids', async () => {
    const { made, asked } = pane(50);
    made.update({ ...ASKED, ids: ['j7', 'j9'] });
    await settled();
    expect(asked).toEqual([expect.objectContaining({ ids: ['j7', 'j9'] })]);
    expect(asked[0]).not.toHaveProperty('text');
    expect(made.element.textContent).toContain('2 selected jobs');
    expect(made.element.querySelectorAll('path')).toHaveLength(2);
  });

  it('is asked for only while it is seen, and again a while after a change', async () => {
    vi.useFakeTimers();
    const { made, asked } = pane(20);
    made.show(false);
    made.update(ASKED);
    await settled();
    expect(asked).toHaveLength(0);
    made.show(true);
    await settled();
    made.update(ASKED);
    made.update({ ...ASKED, version: '2' });
    made.update({ ...ASKED, version: '3' });
    await settled();
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(2);
    made.dispose();
    vi.useRealTimers();
  });

  it('says what is missing where nothing can be drawn', async () => {
    const { made } = pane(1);
    made.update(ASKED);
    await settled();
    expect(made.element.textContent).toContain('Jobs that differ in a value and have a metric are needed.');
  });
});
