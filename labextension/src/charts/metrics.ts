/**
 * The Metrics tab: what the job prints and what it writes for TensorBoard, one chart a metric, or one for all that
 * share a scale.
 *
 * Replicas that report a metric of the same name share its chart. The settings live as long as the tab does.
 */

import { isTerminal } from '../events.js';
import { readStatus } from '../head/status.js';
import { withTooltip, isPressed, toggle } from '../parts/controls.js';
import { plain } from '../text/sanitize.js';
import type { Context, Pane } from '../tokens.js';
import type { ChartSpec, ChartContext } from './card.js';
import { ChartMaker, loadCharts } from './chart.js';
import { ChartControls } from './controls.js';
import { asMetric, asReplica, ChartPane, type Label, ofJob, chartSpec, type Style } from './pane.js';
import { groupByScale } from './grouping.js';
import type { Line } from './series.js';

const EMPTY =
  'No metrics so far. Print lines such as "epoch 3 loss=0.2", say what to look for with ' +
  '--metric NAME:REGEX, or write TensorBoard events to os.environ["PAI_OUTPUT_TENSORBOARD"].';
const NONE =
  'No metrics were recorded. For the next run print lines such as "epoch 3 loss=0.2", say what to look ' +
  'for with --metric NAME:REGEX, or write TensorBoard events to os.environ["PAI_OUTPUT_TENSORBOARD"].';
const names = new Intl.Collator(undefined, { numeric: true });

export function metricsPane(context: Context, load: () => Promise<ChartMaker> = loadCharts): Pane {
  const { say } = context;
  const controls = new ChartControls(say, () => pane.refresh());
  const inOne = withTooltip(
    toggle(say('One chart'), () => pane.refresh()),
    say('Metrics of about the same size share a chart')
  );
  const pane: ChartPane = new ChartPane(
    context,
    {
      ...ofJob(context, 'metrics'),
      get empty() {
        return say(isTerminal(readStatus(context.model.state.status)) ? NONE : EMPTY);
      },
      controls: [...controls.elements, inOne],
      title: line => plain(line.name),
      choose: lines => {
        const chosen = inOrder(named(lines, controls.filter.value));
        inOne.hidden = !isPressed(inOne) && groupByScale(chosen).every(group => namesOf(group).length < 2);
        return chosen;
      },
      plan: lines => (isPressed(inOne) ? chartsByScale(lines, context) : chartsByMetric(lines, context)),
      look: origin => controls.look(origin)
    },
    load
  );
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
export function chartsByMetric(
  lines: readonly Line[],
  voice: ChartContext,
  label: Label = asReplica,
  style?: Style
): ChartSpec[] {
  const metrics = new Map<string, Line[]>();
  for (const line of lines) {
    metrics.set(line.name, [...(metrics.get(line.name) ?? []), line]);
  }
  return [...metrics].map(([name, own]) => {
    return chartSpec(own, { key: `=${name}`, title: plain(name) }, voice, label, style);
  });
}

/** A large chart for the metrics of each scale, and for each of the others one of its own behind them. */
function chartsByScale(lines: readonly Line[], context: Context): ChartSpec[] {
  const groups = groupByScale(lines).filter(group => namesOf(group).length > 1);
  const others = lines.filter(line => !groups.some(group => group.includes(line)));
  return [...groups.map(group => together(group, context)), ...chartsByMetric(others, context)];
}

function together(lines: Line[], context: Context): ChartSpec {
  const title = namesOf(lines)
    .map(name => plain(name))
    .join(', ');
  return chartSpec(lines, { key: `all ${title}`, title, isLarge: true }, context, asMetric);
}

function namesOf(lines: readonly Line[]): string[] {
  return [...new Set(lines.map(({ name }) => name))];
}
