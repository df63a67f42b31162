/**
 * Times and sizes as people read them. The twin of the end of `pai_jupyter/view/words.py`.
 */

/** A running time as a stop-watch shows it: "03:12", "1:02:03". */
export function clock(seconds: number): string {
  const [hours, minutes, rest] = split(Math.floor(seconds));
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
}

/** How long something took, short: "8s", "2m23s", "1h02m". */
export function duration(seconds: number): string {
  const [hours, minutes, rest] = split(Math.round(seconds));
  if (hours) {
    return `${hours}h${two(minutes)}m`;
  }
  return minutes ? `${minutes}m${two(rest)}s` : `${rest}s`;
}

/** A size in bytes: "512 B", "34 KB", "1.2 GB"; powers of 1,024, three digits at most. */
export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = Number.isFinite(size) ? Math.max(0, size) : 0;
  let unit = 0;
  while (Math.round(value) >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[unit] ?? ''}`;
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

function split(seconds: number): [number, number, number] {
  const whole = Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
  return [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
