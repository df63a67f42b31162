/**
 * What a job costs, as people read it. Twin of `pai_jupyter/view/costs.py` and `pai_jupyter/money.py`.
 *
 * Rule: two currencies are never added up.
 */

import type { Say } from '../tokens.js';
import type { Price } from '../wire/schema.js';

const SIGNS: Readonly<Record<string, string>> = { CNY: '¥', USD: '$', EUR: '€', GBP: '£' };
const HOUR = 3_600;
const SMALLEST = 0.01;

/** An amount in cents: "¥0.42", "<¥0.01", "0.42 CHF". */
export function money(amount: number, currency: string, digits = 2): string {
  const isLess = amount > 0 && amount < SMALLEST && digits === 2;
  const number = (isLess ? SMALLEST : amount).toFixed(digits);
  const sign = Object.hasOwn(SIGNS, currency) ? SIGNS[currency] : '';
  return `${isLess ? '<' : ''}${sign ? sign + number : `${number} ${currency.slice(0, 3)}`}`;
}

/** A price an hour: "¥6.20/h", with as many digits as it has. */
export function hourly({ currency, per_hour: price }: Price, say: Say): string {
  const digits = String(price).split('.')[1]?.length ?? 0;
  return say('{amount}/h', { amount: money(price, currency, Math.min(9, Math.max(2, digits))) });
}

/** What so many seconds have cost, of a job that goes on "¥0.13 so far"; of preemptible machines the most. */
export function spentText(price: Price, seconds: number, isOver: boolean, say: Say): string {
  const sum = money((price.per_hour * Math.max(0, seconds)) / HOUR, price.currency);
  const amount = price.is_spot ? `≤ ${sum}` : sum;
  return isOver ? amount : say('{amount} so far', { amount });
}

/** What a job costs at most, and so far: "≤ ¥0.42 · ¥0.13 so far"; `seconds` null: it does not run yet. */
export function costText(price: Price, seconds: number | null, isOver: boolean, say: Say): string {
  if (isOver) {
    return spentText(price, seconds ?? 0, true, say);
  }
  const most = price.ceiling === undefined ? hourly(price, say) : `≤ ${money(price.ceiling, price.currency)}`;
  return seconds === null ? most : `${most} · ${spentText(price, seconds, false, say)}`;
}
