/**
 * The Metrics tab: what the job prints and what it writes for TensorBoard, one chart a metric or all in one.
 *
 * Replicas that report a metric of the same name share its chart. The settings live as long as the tab does.
 */

import { isOn, toggle } from '../parts/controls.js';
import { plain } from '../text/plain.js';
import type { Context, Pane } from '../tokens.js';
import type { Plan, Voice } from './card.js';
import { ChartMaker, loadCharts } from './chart.js';
import { LookControls } from './look.js';
import { asMetric, asReplica, ChartPane, type Label, ofJob, planOf } from './pane.js';
import type { Line } from './series.js';

const EMPTY = 'No metrics so far. Print lines such as "epoch 3 loss=0.2", say what to look for with '
  + '--metric NAME:REGEX, or write TensorBoard events to os.environ["PAI_OUTPUT_TENSORBOARD"].';
const names = new Intl.Collator(undefined, { numeric: true });

export function metricsPane(context: Context, load: () => Promise<ChartMaker> = loadCharts): Pane {
  const { say } = context;
  const controls = new LookControls(say, () => pane.refresh());
  const inOne = toggle(say('One chart'), () => pane.refresh());
  const pane: ChartPane = new ChartPane(context, {
    ...ofJob(context, 'metrics'),
    empty: say(EMPTY),
    controls: [...controls.elements, inOne],
    title: line => plain(line.name),
    choose: lines => inOrder(named(lines, controls.filter.value)),
    plan: lines => (isOn(inOne) && lines.length > 0 ? [together(lines, context)] : chartsByMetric(lines, context)),
    look: origin => controls.look(origin)
  }, load);
  return pane;
}

/** By name, then by replica. */
function inOrder(lines: Line[]): Line[] {
  return lines.sort((one, other) => byName(one, other) || names.compare(one.replica, other.replica));
}

/** Lines whose name has `part` in it. */
export function named(lines: readonly Line[], part: string): Line[] {
  const wanted = part.trim().toLowerCase();
  return lines.filter(line => line.name.toLowerCase().includes(wanted));
}

export function byName(one: Line, other: Line): number {
  return names.compare(one.name, other.name);
}

/** One chart a metric. */
export function chartsByMetric(lines: Line[], voice: Voice, label: Label = asReplica): Plan[] {
  const metrics = new Map<string, Line[]>();
  for (const line of lines) {
    metrics.set(line.name, [...(metrics.get(line.name) ?? []), line]);
  }
  return [...metrics].map(([name, own]) => {
    const unit = own[0]?.unit ?? '';
    return planOf(own, { key: `=${name}`, title: plain(name), unit, fromZero: false, isLarge: false }, voice, label);
  });
}

function together(lines: Line[], context: Context): Plan {
  const more = { key: 'all', title: context.say('All metrics'), unit: '', fromZero: false, isLarge: true };
  return planOf(lines, more, context, asMetric);
}
