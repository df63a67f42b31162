/** The lines of the table: what is asked for, and what is kept. */

import { describe, expect, it, vi } from 'vitest';

import { type Question, TableLines } from '../../src/table/lines.js';
import type { TableAnswer, TableAsked } from '../../src/table/protocol.js';

const QUESTION: Question = { text: '', columns: ['job:name'] };

interface Served {
  asked: TableAsked[];
  version: string;
  ask(body: TableAsked): Promise<TableAnswer>;
}

function served(count: number): Served {
  const server = {
    asked: [] as TableAsked[],
    version: '1',
    ask: (body: TableAsked): Promise<TableAnswer> => {
      server.asked.push(body);
      const { start, limit } = { start: body.start ?? 0, limit: body.limit ?? 0 };
      const places = Array.from({ length: Math.max(0, Math.min(limit, count - start)) }, (_, at) => start + at);
      const lines = places.map(at => ({ id: `${body.text}${at}`, cells: [at] }));
      return Promise.resolve(
        body.version === server.version
          ? { version: server.version }
          : { version: server.version, lines, count, jobs: count, total: count, problem: '', shape: 's', columns: [] }
      );
    }
  };
  return server;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
  }
}

describe('the lines', () => {
  it('are asked for around what is in sight, once', async () => {
    const server = served(1_000);
    const lines = new TableLines(QUESTION, server.ask, () => undefined);
    lines.want(0, 40);
    await settled();
    lines.want(450, 490);
    lines.want(460, 500);
    await settled();
    expect(server.asked.map(({ start, limit }) => [start, limit])).toEqual([
      [0, 100],
      [400, 100]
    ]);
    expect([lines.count, lines.at(3)?.id, lines.at(470)?.id, lines.at(200)]).toEqual([1_000, '3', '470', undefined]);
    expect(server.asked.map(({ shape, of_version: version }) => [shape, version])).toEqual([
      [undefined, undefined],
      ['s', '1']
    ]);
  });

  it('stay until another question is answered', async () => {
    const server = served(50);
    const lines = new TableLines(QUESTION, server.ask, () => undefined);
    lines.want(0, 40);
    await settled();
    lines.select({ ...QUESTION, text: 'x' });
    expect(lines.at(0)?.id).toBe('0');
    await settled();
    expect(lines.at(0)?.id).toBe('x0');
  });

  it('are asked for again where the server has others', async () => {
    vi.useFakeTimers();
    const server = served(50);
    const lines = new TableLines(QUESTION, server.ask, () => undefined);
    lines.watch(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.asked).toHaveLength(2);
    server.version = '2';
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.asked).toHaveLength(4);
    expect(server.asked.at(-1)?.of_version).toBeUndefined();
    lines.refresh();
    await vi.advanceTimersByTimeAsync(0);
    expect(server.asked.at(-1)?.of_version).toBeUndefined();
    lines.select({ ...QUESTION, text: 'x' });
    await vi.advanceTimersByTimeAsync(0);
    expect(server.asked.at(-1)?.of_version).toBe('2');
    lines.watch(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.asked).toHaveLength(6);
    vi.useRealTimers();
  });

  it('say why they cannot be had, and ask again later', async () => {
    const changed = vi.fn();
    const lines = new TableLines(QUESTION, () => Promise.reject(new Error('no answer')), changed);
    lines.want(0, 40);
    await settled();
    expect([lines.trouble, lines.isKnown, changed.mock.calls.length]).toEqual(['no answer', false, 1]);
  });
});
