/**
 * Times, sizes and numbers as people read them. Times and sizes are twins of those in `pai_jupyter/view/words.py`.
 */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A running time as a stop-watch shows it: "03:12", "1:02:03". */
export function clock(seconds: number): string {
  const [hours, minutes, rest] = split(Math.floor(seconds));
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
}

/** Seconds since the job began, as a stop-watch shows them; before that, with a sign. */
export function stopwatch(seconds: number): string {
  const whole = Math.round(seconds);
  return `${whole < 0 ? '-' : ''}${clock(Math.abs(whole))}`;
}

/** How long something took, short: "8s", "2m23s", "1h02m". */
export function duration(seconds: number): string {
  const [hours, minutes, rest] = split(Math.floor(seconds)); // as the clock of the same job
  if (hours) {
    return `${hours}h${two(minutes)}m`;
  }
  return minutes ? `${minutes}m${two(rest)}s` : `${rest}s`;
}

/** A size in bytes: "512 B", "34 KB", "1.2 GB"; powers of 1,024, to so many significant digits. */
export function bytes(size: number, digits = 2): string {
  let value = Number.isFinite(size) ? Math.max(0, size) : 0;
  let unit = 0;
  while (Math.round(value) >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${formatNumber(value, digits)} ${UNITS[unit] ?? ''}`;
}

/** A value of a series in its unit ('', 'B', 'B/s', 'cores', 'ratio', 's'), to about four digits. */
export function formatValue(value: number, unit: string): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  }
  switch (unit) {
    case 'B':
      return bytes(value, 4);
    case 'B/s':
      return `${bytes(value, 4)}/s`;
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
  return isPlain
    ? String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size + 1))))))
    : value
        .toExponential(digits - 1)
        .replace(/\.?0+e/, 'e')
        .replace('e+', 'e');
}

/** A moment in the reader's own time zone, "2026-11-21 06:30"; '' for one that is none. */
export function moment(seconds: number): string {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A moment of a day in the reader's own time zone, "06:30:05". */
export function timeOfDay(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function split(seconds: number): [number, number, number] {
  const whole = Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
  return [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
