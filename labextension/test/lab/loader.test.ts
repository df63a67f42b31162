import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { beforeEach, describe, expect, it } from 'vitest';

import { ExtensionLoader } from '../../src/lab/loader.js';

const CELL = '%%pai_train demo\nprint(1)';
const LOAD = {
  code: '%load_ext pai_jupyter',
  silent: true,
  store_history: false,
  stop_on_error: false
};

class FakeKernel {
  readonly asked: unknown[] = [];
  readonly statusChanged = new Signal<this, string>(this);
  readonly info: Promise<{ implementation: string }>;
  reply = 'ok';
  isDead = false;

  constructor(
    readonly name: string,
    implementation: string
  ) {
    this.info = Promise.resolve({ implementation });
  }

  requestExecute(content: unknown): { done: Promise<unknown> } {
    this.asked.push(content);
    const reply = { content: { status: this.reply } };
    return { done: this.isDead ? Promise.reject(new Error('gone')) : Promise.resolve(reply) };
  }

  get it(): Kernel.IKernelConnection {
    return this as unknown as Kernel.IKernelConnection;
  }
}

let misses: number;
let loader: ExtensionLoader;
const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve));

beforeEach(() => {
  misses = 0;
  const commands: Record<string, string[]> = { python3: ['python', '-m', 'ipykernel_launcher'], xpython: ['xpython'] };
  loader = new ExtensionLoader(
    name => commands[name] ?? [],
    () => misses++
  );
});

describe('a kernel', () => {
  it.each([CELL, '%pai_attach j1', '%%time\n%%pai_train\n1', '\n\n  %pai_jobs', 'x = 1\n%pai_rerun a --as b'])(
    'is told of our magics before %j',
    source => {
      const kernel = new FakeKernel('python3', 'ipython');
      loader.prepare(kernel.it, source);
      expect(kernel.asked).toEqual([LOAD]);
    }
  );

  it.each(['print(1)', '# %%pai_train', "text = '%pai_jobs'", '%paint', ''])('is left alone before %j', source => {
    const kernel = new FakeKernel('python3', 'ipython');
    loader.prepare(kernel.it, source);
    expect(kernel.asked).toEqual([]);
  });

  it('is told once, and again when it has been restarted', () => {
    const kernel = new FakeKernel('python3', 'ipython');
    loader.prepare(kernel.it, CELL);
    loader.prepare(kernel.it, CELL);
    expect(kernel.asked).toHaveLength(1);
    kernel.statusChanged.emit('restarting');
    loader.prepare(kernel.it, CELL);
    expect(kernel.asked).toHaveLength(2);
  });

  it('that is not IPython is told nothing', async () => {
    for (const kernel of [new FakeKernel('xpython', 'xeus-python'), new FakeKernel('gone', 'gone')]) {
      loader.prepare(kernel.it, CELL);
      await settled();
      loader.prepare(kernel.it, CELL);
      expect(kernel.asked).toEqual([]);
    }
  });

  it('counts by what it says of itself, once it has', async () => {
    const wrapped = new FakeKernel('in-a-container', 'ipython');
    loader.prepare(wrapped.it, 'print(1)');
    await settled();
    loader.prepare(wrapped.it, CELL);
    expect(wrapped.asked).toHaveLength(1);
  });

  it('without the package is asked again next time, and that is said', async () => {
    const kernel = new FakeKernel('python3', 'ipython');
    kernel.reply = 'error';
    loader.prepare(kernel.it, CELL);
    await settled();
    loader.prepare(kernel.it, CELL);
    await settled();
    expect([kernel.asked.length, misses]).toEqual([2, 2]);
  });

  it('that dies meanwhile is no news', async () => {
    const kernel = new FakeKernel('python3', 'ipython');
    kernel.isDead = true;
    loader.prepare(kernel.it, CELL);
    await settled();
    expect(misses).toBe(0);
  });
});
