import { expect, it } from 'vitest';

import { costText, hourly, money, spentText } from '../../src/text/money.js';
import { translator } from '../../src/text/translation.js';
import type { Price } from '../../src/wire/schema.js';

const en = translator('en');
const zh = translator('zh');
const price: Price = { currency: 'CNY', per_hour: 6.2, ceiling: 12.4 };

it.each<[number, string, string]>([
  [12.4, 'CNY', '¥12.40'],
  [0.42, 'USD', '$0.42'],
  [0.001, 'EUR', '<€0.01'],
  [0, 'GBP', '£0.00'],
  [1, 'CHF', '1.00 CHF'],
  [1, 'constructor', '1.00 con']
])('%d of %s is %s', (amount, currency, text) => {
  expect(money(amount, currency)).toBe(text);
});

it('says the most and what it is so far, then only what it was', () => {
  expect(costText(price, null, false, en)).toBe('≤ ¥12.40');
  expect(costText(price, 1_800, false, en)).toBe('≤ ¥12.40 · ¥3.10 so far');
  expect(costText(price, 1_800, true, zh)).toBe('¥3.10');
  expect(costText(price, 1_800, false, zh)).toBe('≤ ¥12.40 · 目前 ¥3.10');
});

it('says the price an hour where no time limit is', () => {
  const free: Price = { currency: 'CNY', per_hour: 0.0035 };
  expect(costText(free, null, false, en)).toBe('¥0.0035/h');
  expect(hourly(price, zh)).toBe('¥6.20/小时');
});

it('says of preemptible machines that it is the most', () => {
  expect(spentText({ ...price, is_spot: true }, 1_800, true, en)).toBe('≤ ¥3.10');
});
