/**
 * Which metrics can stand on one scale. Pure.
 *
 * Rule: metrics share a scale if they are of one unit and none is more than ten times as large as another: loss and
 *   val_loss do, loss and lr do not, for the lesser one would be a flat line. A single value is no line.
 */

import type { Line } from './series.js';

const SPREAD = 10;

interface Metric {
  readonly lines: Line[];
  readonly size: number;
}

/** The lines in groups that share a scale, each in the order in which they came; what is no line is left out. */
export function groupByScale(lines: readonly Line[]): Line[][] {
  const metrics = new Map<string, Line[]>();
  for (const line of lines) {
    const key = JSON.stringify([line.name, line.unit]);
    metrics.set(key, [...(metrics.get(key) ?? []), line]);
  }
  const known = [...metrics.values()]
    .filter(own => own.some(line => line.count > 1))
    .map((own): Metric => ({ lines: own, size: Math.max(...own.map(sizeOf)) }))
    .sort((one, other) => one.size - other.size);
  const groups: Metric[][] = [];
  for (const metric of known) {
    const group = groups.find(([least]) => least !== undefined && fits(metric, least));
    if (group) {
      group.push(metric);
    } else {
      groups.push([metric]);
    }
  }
  return groups
    .map(group => lines.filter(line => group.some(metric => metric.lines.includes(line))))
    .sort(([one], [other]) => (one && other ? lines.indexOf(one) - lines.indexOf(other) : 0));
}

function fits({ lines, size }: Metric, least: Metric): boolean {
  return lines[0]?.unit === least.lines[0]?.unit && size <= least.size * SPREAD;
}

/** How far from zero the line goes. */
function sizeOf({ min, max }: Line): number {
  const size = Math.max(Math.abs(min), Math.abs(max));
  return Number.isFinite(size) ? size : 0;
}
