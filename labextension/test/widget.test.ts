// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Push } from '../src/tokens.js';
import { render } from '../src/widget.js';
import { snapshot } from './wire/farend.js';
import { Kernel } from './wire/kernel.js';

const FAILED: Push = {
  kind: 'state',
  seq: 1,
  now: 1_060,
  events: [{ kind: 'StatusChanged', status: 'failed', time: 1_060 }]
};

let kernel: Kernel;
let el: HTMLElement;
let ends: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  kernel = new Kernel({ job: 'j1', language: 'en', first: snapshot(0) });
  el = document.createElement('div');
  ends = [];
});
afterEach(() => {
  ends.forEach(end => end());
  vi.useRealTimers();
});

function mount(at = el): HTMLElement {
  ends.push(render({ model: kernel, el: at }));
  return at;
}

const connection = (at = el): string => at.querySelector('.pj-JobView-connection')?.textContent ?? '';

it('draws from what the kernel knew, before any answer', () => {
  mount();
  expect(el.textContent).toContain('iris-3fa2c1');
  expect(kernel.kinds()).toContain('hello');
});

it('goes on by pushes that name no view', () => {
  mount();
  kernel.push(FAILED);
  expect(el.textContent).toContain('Failed');
});

it('says that requests wait while the kernel is busy, and goes on following', async () => {
  mount();
  await vi.advanceTimersByTimeAsync(300);
  expect(connection()).toMatch(/busy/i);
  kernel.push(FAILED);
  expect(el.textContent).toContain('Failed');
});

it('is live again once the kernel has answered', async () => {
  mount();
  await vi.advanceTimersByTimeAsync(10_000);
  for (const { id } of [...kernel.heard]) {
    kernel.deliver({ body: { id, ok: {} }, buffers: [] });
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(connection()).toBe('');
});

it('says what to do when the kernel is gone, and is live when it is heard again', async () => {
  mount();
  kernel.trigger('comm_live_update');
  expect(connection()).toContain('%pai_attach j1');
  kernel.push(snapshot(0));
  await vi.advanceTimersByTimeAsync(1);
  expect(connection()).toBe('');
});

it('takes a kernel for gone to which nothing can be sent', () => {
  kernel.isGone = true;
  mount();
  expect(connection()).toContain('%pai_attach j1');
});

it('speaks the language that it is told', () => {
  kernel.traits['language'] = 'zh';
  mount();
  kernel.trigger('comm_live_update');
  expect(connection()).toMatch(/内核/);
});

it('says a word now and then, and at once when the page is looked at again, but none while it is hidden', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  mount();
  const words = (): number => kernel.heard.filter(body => body['kind'] === 'bye' && body['view'] === '').length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(words()).toBe(0);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(words()).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(words()).toBe(4);
  hidden.mockRestore();
});

const NO_FIRST: [unknown][] = [[undefined], [null], ['text'], [{}], [{ kind: 'snapshot' }]];

it.each(NO_FIRST)('waits for a snapshot where `first` is %j', first => {
  kernel.traits['first'] = first;
  mount();
  kernel.push(snapshot(0));
  expect(el.textContent).toContain('iris-3fa2c1');
});

it('shows every view of a model, each with its own requests', () => {
  const other = mount(document.createElement('div'));
  mount();
  const views = kernel.heard.filter(body => body['kind'] === 'hello').map(body => body['view']);
  expect(new Set(views).size).toBe(2);
  expect(el.textContent).toBe(other.textContent);
});

it('leaves the other views alone when one ends', () => {
  const other = mount(document.createElement('div'));
  const end = render({ model: kernel, el });
  end();
  kernel.push(FAILED);
  expect([el.textContent, other.textContent.includes('Failed')]).toEqual(['', true]);
});

it('leaves nothing behind', () => {
  const end = render({ model: kernel, el });
  end();
  expect([kernel.listenerCount, kernel.kinds().at(-1), el.childElementCount]).toEqual([0, 'bye', 0]);
  expect(vi.getTimerCount()).toBe(0);
});
