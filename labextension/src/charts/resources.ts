/** The Resources tab: what each replica took of the machine over time, one chart a kind. */

import type { Context, Pane } from '../tokens.js';
import { isTerminal } from '../events.js';
import { readStatus } from '../head/status.js';
import { ChartMaker, loadCharts } from './chart.js';
import { ChartPane, ofJob, chartSpec } from './pane.js';
import type { Line } from './series.js';

/** The kinds in their order; a kind that is not here is not drawn. */
const TITLES: Readonly<Record<string, string>> = {
  cpu: 'CPU (cores)',
  memory: 'Memory',
  gpu: 'GPU load',
  gpu_memory: 'GPU memory'
};
const KINDS = Object.keys(TITLES);
const EMPTY = 'No resource data yet. It is sampled every few seconds while the job runs.';
const NONE = 'No resource data was recorded.';

export function resourcesPane(context: Context, load: () => Promise<ChartMaker> = loadCharts): Pane {
  const titleOf = (kind: string): string => context.say(TITLES[kind] ?? kind);
  return new ChartPane(
    context,
    {
      ...ofJob(context, 'usage'),
      get empty() {
        return context.say(isTerminal(readStatus(context.model.state.status)) ? NONE : EMPTY);
      },
      controls: [],
      title: line => titleOf(line.name),
      choose: inOrder,
      plan: lines =>
        KINDS.filter(kind => lines.some(line => line.name === kind)).map(kind => {
          const own = lines.filter(line => line.name === kind);
          return chartSpec(own, { key: kind, title: titleOf(kind), fromZero: true }, context);
        }),
      look: origin => ({ axis: 'time', isLog: false, smoothing: 0, origin })
    },
    load
  );
}

function inOrder(lines: Line[]): Line[] {
  return lines
    .filter(line => KINDS.includes(line.name))
    .sort((one, other) => {
      return KINDS.indexOf(one.name) - KINDS.indexOf(other.name) || (one.replica < other.replica ? -1 : 1);
    });
}
