/**
 * Time in tests: nobody looks at their pages, so an animation frame comes in the next turn, and who waits looks often.
 *
 * vitest loads this file before each test file (`vitest.config.mjs`). Timers are real but where a test says otherwise;
 * `turns` goes by the real ones then too.
 */

import { vi } from 'vitest';

const { setTimeout, clearTimeout } = globalThis;

if (typeof requestAnimationFrame === 'function') {
  globalThis.requestAnimationFrame = draw => Number(setTimeout(() => draw(performance.now())));
  globalThis.cancelAnimationFrame = frame => clearTimeout(frame);
}

/** Some turns of the event loop: what was asked of a fake has come, and is drawn. */
export async function turns(count = 8): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise(resolve => setTimeout(resolve));
  }
}

/** Wait until `check` throws no more, and give what it gives. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { interval: 2, timeout: 5_000 });
}
