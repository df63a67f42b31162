/** Numbers as people read them, on axes, in legends and tables. */

import { clock } from '../format.js';

const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A value in its unit ('', 'B', 'cores', 'ratio', 's'), to about four digits. */
export function formatValue(value: number, unit: string): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  }
  switch (unit) {
    case 'B': {
      const power = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log2(Math.abs(value) || 1) / 10)));
      return `${formatNumber(value / 1024 ** power)} ${BYTES[power] ?? ''}`;
    }
    case 'ratio':
      return `${formatNumber(value * 100)} %`;
    case '':
    case 'cores': // the chart's title says so
      return formatNumber(value);
    default:
      return `${formatNumber(value)} ${unit}`;
  }
}

/** A bare number of so many significant digits; an integer below a million whole. */
export function formatNumber(value: number, digits = 4): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-4 && size < 1e6);
  return isPlain ? String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size + 1))))))
    : value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
}

/** Seconds since the job began, as a stop-watch shows them; before that, with a sign. */
export function formatTime(seconds: number): string {
  const whole = Math.round(seconds);
  return `${whole < 0 ? '-' : ''}${clock(Math.abs(whole))}`;
}
