// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { CostLine } from '../../src/cell/cost.js';
import { panelSay } from '../../src/panel/translation.js';
import { RequestError } from '../../src/wire/protocol.js';

let heard: object[];
let answer: () => Promise<unknown>;
let cost: CostLine;

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  answer = () => Promise.resolve({ note: 'at most ¥1.00' });
  cost = new CostLine(panelSay('en'), {
    post: <T>(_: string, body: object = {}) => {
      heard.push(body);
      return answer() as Promise<T>;
    }
  });
});

afterEach(() => {
  cost.dispose();
  vi.useRealTimers();
});

it('asks once when nothing has changed for a moment', async () => {
  cost.show('%%pai_train a');
  await vi.advanceTimersByTimeAsync(100);
  cost.show('%%pai_train ab');
  cost.show('%%pai_train ab');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual([{ line: '%%pai_train ab' }]);
  expect([cost.element.textContent, cost.element.hidden]).toEqual(['Cost: at most ¥1.00', false]);
});

it('takes the sentence away with the line that it was about', async () => {
  cost.show('%%pai_train a');
  await vi.advanceTimersByTimeAsync(1_000);
  cost.show('');
  expect(cost.element.hidden).toBe(true);
});

it('drops an answer that comes late', async () => {
  let late: (value: unknown) => void = () => undefined;
  answer = () => new Promise(resolve => (late = resolve));
  cost.show('%%pai_train a');
  await vi.advanceTimersByTimeAsync(1_000);
  cost.dispose();
  late({ note: 'old' });
  await vi.advanceTimersByTimeAsync(0);
  expect(cost.element.textContent).toBe('');
});

it('says what the server refuses', async () => {
  answer = () => Promise.reject(new RequestError('`--max-cost 3` needs a price.', 'SpecError'));
  cost.show('%%pai_train a');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(cost.element.textContent).toContain('needs a price');
});
