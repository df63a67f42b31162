// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { LogWindow } from '../../src/tokens.js';
import { FakeSource, jobFacts, START } from '../fakes.js';
import { eventually, turns } from '../turns.js';
import { asked, begin, choose, find, labelled, numbered, press, rows, search, shown, source } from './logstab.js';

describe('replicas', () => {
  beforeEach(() => {
    begin(new FakeSource(jobFacts({ replicas: ['worker-0', 'worker-1'] })));
    source.logs['worker-1'] = numbered(50, 'second');
    source.answers.hello = ({ replica }) => {
      setTimeout(() => source.push(snapshotOf(replica ?? 'worker-0')));
      return { ok: { api: 1 } };
    };
  });

  function snapshotOf(replica: string): Parameters<FakeSource['push']>[0] {
    const lines = source.logs[replica] ?? [];
    const tail: LogWindow = {
      replica,
      start: 0,
      lines,
      times: [],
      clipped: {},
      count: lines.length,
      finished: lines.length
    };
    const counts = { 'worker-0': 10, 'worker-1': 50 };
    return { kind: 'snapshot', now: START, job: source.facts, state: source.state, failure: null, counts, tail };
  }

  it('are offered where there are several, and the chosen one is watched', async () => {
    await shown(numbered(10));
    choose('Replica', 'worker-1');
    await turns();
    expect([rows().at(-1), asked('hello')]).toEqual(['second 49', [{ replica: 'worker-1' }]]);
    expect(find('.pj-JobView-log').getAttribute('aria-label')).toBe('Log of worker-1');
  });

  it('that are chosen in haste are not taken back by the snapshot of the one before', async () => {
    source.answers.hello = () => ({ ok: { api: 1 } }); // the snapshots come by hand
    await shown(numbered(3, 'first'));
    source.logs['worker-1'] = numbered(50, 'second');
    choose('Replica', 'worker-1');
    await turns();
    choose('Replica', 'worker-0');
    source.push(snapshotOf('worker-1')); // it was under way
    await turns();
    source.push(snapshotOf('worker-0'));
    await turns();
    expect([find('.pj-JobView-log').getAttribute('aria-label'), rows().at(-1)]).toEqual(['Log of worker-0', 'first 2']);
    expect(asked('hello')).toEqual([{ replica: 'worker-1' }, { replica: 'worker-0' }]);
  });

  it('stay chosen when the view says hello anew', async () => {
    await shown(numbered(10));
    choose('Replica', 'worker-1');
    await turns();
    source.push(snapshotOf('worker-0'));
    await turns();
    expect([rows().at(-1), labelled<HTMLSelectElement>('Replica').value]).toEqual(['second 49', 'worker-1']);
    expect(asked('hello')).toHaveLength(2);
  });

  it('are those of the server where it does not watch the chosen one', async () => {
    await shown(numbered(10));
    source.answers.hello = () => {
      setTimeout(() => source.push(snapshotOf('worker-0')));
      return { ok: { api: 1 } };
    };
    choose('Replica', 'worker-1');
    await turns();
    expect([rows().at(-1), labelled<HTMLSelectElement>('Replica').value]).toEqual(['line 9', 'worker-0']);
    expect(asked('hello')).toHaveLength(1);
  });

  it('print past each other', async () => {
    await shown(numbered(10));
    source.print('worker-1', 'not here');
    await turns();
    expect(rows().at(-1)).toBe('line 9');
  });

  /** What a server pushes of the lines of all, those from `start` on. */
  function tailOfAll(start: number, lines: string[], first = 0): Parameters<FakeSource['push']>[0] {
    const count = start + lines.length;
    const tail: LogWindow = { replica: '*', start, lines, times: [], clipped: {}, count, finished: count, first };
    return { kind: 'tail', now: START, counts: { '*': count }, tail };
  }

  /** Choose all replicas of a job whose last lines are these, behind so many that are not kept. */
  async function showAll(lines: string[], first = 0): Promise<void> {
    const count = first + lines.length;
    source.logs['*'] = [...Array<string>(first).fill(''), ...lines];
    source.answers.hello = ({ replica = '' }) => {
      const snapshot = snapshotOf(replica) as Extract<ReturnType<typeof snapshotOf>, { kind: 'snapshot' }>;
      const all = { ...snapshot.tail, start: first, lines, count, finished: count, first };
      setTimeout(() => source.push(replica === '*' ? { ...snapshot, tail: all } : snapshot));
      return { ok: { api: 1 } };
    };
    choose('Replica', '*');
    await turns();
  }

  it('are shown as one log, whose oldest lines go', async () => {
    await shown(numbered(10));
    await showAll(numbered(30, 'worker-0 | line'));
    expect([rows().at(-1), asked('hello')]).toEqual(['worker-0 | line 29', [{ replica: '*' }]]);
    expect(find('.pj-JobView-log').getAttribute('aria-label')).toBe('Log of all replicas');
    source.push(tailOfAll(30, ['worker-1 | new']));
    await turns();
    expect(rows().slice(-2)).toEqual(['worker-0 | line 29', 'worker-1 | new']);
    source.push(tailOfAll(31, ['worker-1 | newer'], 29));
    await turns();
    expect(rows()).toEqual(['worker-0 | line 29', 'worker-1 | new', 'worker-1 | newer']);
    expect(find('.pj-JobView-logCount').textContent).toContain('last 3 of 32 lines');
  });

  it('that printed more than is kept are not taken for the whole log', async () => {
    await shown(numbered(10));
    const length = (): string => find('.pj-JobView-logCount').textContent.replace(/ · .*/, '');
    const hits = (): string => find('.pj-JobView-hits').textContent;
    const note = find('.pj-JobView-logNote');
    await showAll(numbered(30, 'worker-0 | line'), 2_000);
    expect([length(), note.hidden]).toEqual(['last 30 of 2,030 lines', true]);
    await search('line 29');
    expect([hits(), rows().at(-1)]).toEqual(['1 of 1', 'worker-0 | line 29']);
    const limited = 'Only the last 30 lines of all replicas are searched. Choose one replica for its whole log.';
    expect(note.textContent).toBe(limited);
    await search('epoch 5');
    expect([hits(), note.textContent]).toEqual(['no matches', limited]);
    press(labelled('Search the log'), 'Escape');
    await turns();
    expect(note.hidden).toBe(true);
    const errors = Float64Array.from([2_004, 2_009]);
    source.answers.search = () => ({
      ok: { count: 2, searched: 2_030, is_more: false },
      buffers: [errors.buffer]
    });
    choose('Level', 'error');
    await turns();
    expect([length(), note.textContent]).toEqual(['2 of the last 30 lines', limited]);
    choose('Level', '');
    delete source.answers.search;
    await search('epoch 5');
    choose('Replica', 'worker-1');
    await turns();
    expect([hits(), note.hidden, length()]).toEqual(['no matches', true, '50 lines']);
  });

  it('that printed more than is kept are saved with a first line that says so', async () => {
    const saved: Blob[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    Object.assign(URL, { createObjectURL: (blob: Blob) => saved.push(blob), revokeObjectURL: () => undefined });
    await shown(numbered(10));
    await showAll(['worker-0 | a', 'worker-1 | b'], 2_000);
    labelled('Save').click();
    await eventually(() => expect(saved).toHaveLength(1));
    vi.restoreAllMocks();
    const reader = new FileReader(); // jsdom's blobs have no text()
    reader.readAsText(saved[0] ?? new Blob());
    await eventually(() => expect(reader.readyState).toBe(FileReader.DONE));
    expect(reader.result).toBe('… last 2 of 2,002 lines\nworker-0 | a\nworker-1 | b\n');
  });

  it('are not offered where there is one', async () => {
    begin();
    await shown(numbered(10));
    expect(labelled('Replica').hidden).toBe(true);
  });
});
