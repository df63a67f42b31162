// @vitest-environment jsdom

import { beforeEach, describe, expect, it } from 'vitest';

import type { LogWindow } from '../../src/tokens.js';
import { FakeSource, jobFacts, START } from '../fakes.js';
import { turns } from '../turns.js';
import { asked, begin, choose, find, labelled, numbered, rows, shown, source } from './logstab.js';

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

  it('are not offered where there is one', async () => {
    begin();
    await shown(numbered(10));
    expect(labelled('Replica').hidden).toBe(true);
  });
});
