/**
 * The metrics of several jobs over one another: one chart a metric, one curve a job.
 *
 * It is the pane of charts that the Metrics tab is, over the lines of several jobs; in each line the job has the place
 * of the replica.
 *
 * Rule 1: the time of a curve counts from where its job began to run, so that jobs of different days can be compared.
 * Rule 2: a job has the same colour in every chart, whichever other jobs have that metric.
 * Rule 3: metrics stand in groups by what is before "/" in their names; on request those of training and validation are
 *   drawn over one another. Before them come the user's own charts; then those without a group have a heading, too.
 * Rule 4: a curve that nothing has come for stays the same object: its chart knows that it need not be drawn again.
 */

import type { ChartContext, ChartSpec } from '../charts/card.js';
import { type ChartMaker, loadCharts } from '../charts/chart.js';
import { SeriesFeed } from '../charts/feed.js';
import { ChartControls } from '../charts/controls.js';
import { byName, chartsByMetric, named } from '../charts/metrics.js';
import { startTime, ChartPane, chartSpec, joined, type Label, type SeriesSource, type Style } from '../charts/pane.js';
import type { Line } from '../charts/series.js';
import { styleVariant } from '../charts/theme.js';
import { isPressed, setPressed, toggle } from '../parts/controls.js';
import { plain } from '../text/sanitize.js';
import type { ChartList } from './chartlist.js';
import { chartTitle, type CustomChart, linesOf, metricOf } from './customcharts.js';
import { type ComparedJob, labels } from './job.js';
import { joinedMetrics, splitRank } from './splits.js';

const collator = new Intl.Collator(undefined, { numeric: true });

/** A pane over the curves of these jobs, and the user's own charts of them. */
export function curvesPane(
  voice: ChartContext,
  jobs: readonly ComparedJob[],
  own: Pick<ChartList, 'charts' | 'offer'>,
  load: () => Promise<ChartMaker> = loadCharts
): ChartPane {
  const { say } = voice;
  const controls = new ChartControls(say, () => pane.refresh());
  const together = toggle(say('Train and validation together'), () => pane.refresh());
  const inGroups = toggle(say('Groups'), () => pane.refresh());
  setPressed(inGroups, true);
  const styles: Style = curves => stylesOf(curves, jobs);
  let all: readonly Line[] = [];
  const pane: ChartPane = new ChartPane(
    voice,
    {
      feed: (changed, failed) => new JointFeed(jobs, changed, failed),
      origin: () => 0,
      file: () => `${[...new Set(jobs.map(({ name }) => name))].join('-')}-metrics.csv`,
      empty: say('None of these jobs has metrics so far.'),
      controls: [...controls.elements, together, inGroups],
      title: line => plain(line.name),
      choose: lines => {
        all = lines;
        const names = [...new Set(lines.map(({ name }) => name))];
        own.offer(names.sort(collator.compare));
        together.hidden = [...joinedMetrics(names).values()].every(({ split }) => split === null);
        inGroups.hidden = !names.some(name => name.includes('/'));
        return named(lines, controls.filter.value).sort(byName); // within a metric, in the order of the jobs
      },
      plan: lines => {
        const charts = isPressed(together)
          ? chartsOfSplits(lines, voice, styles)
          : chartsByMetric(lines, voice, asJob, styles);
        const grouped = isPressed(inGroups) ? inOrderOfGroups(charts) : charts;
        const rest = own.charts.length
          ? grouped.map(chart => ({ ...chart, group: chart.group ?? say('Metrics') }))
          : grouped;
        return [...own.charts.map((chart, at) => ownChart(chart, at, all, voice, styles)), ...rest];
      },
      look: origin => controls.look(origin)
    },
    load
  );
  return pane;
}

const asJob: Label = (line, lines) => {
  const hasTwin = lines.some(other => other.replica === line.replica && other.source !== line.source);
  return joined([plain(line.replica), hasTwin && line.source === 'tensorboard' ? 'TensorBoard' : '']);
};

/** One chart for what is measured on several parts of the data: each job in its colour, each part in its pattern. */
function chartsOfSplits(lines: readonly Line[], voice: ChartContext, styles: Style): ChartSpec[] {
  const parts = joinedMetrics(lines.map(({ name }) => name));
  const metrics = new Map<string, Line[]>();
  for (const line of lines) {
    const metric = parts.get(line.name)?.metric ?? line.name;
    metrics.set(metric, [...(metrics.get(metric) ?? []), line]);
  }
  const rank = ({ name }: Line): number => splitRank(parts.get(name)?.split ?? null);
  const label: Label = (line, among) => {
    const split = parts.get(line.name)?.split ?? null;
    return joined([asJob(line, among), split === null ? '' : voice.say(split)]);
  };
  const inOrder = [...metrics].sort(([one], [other]) => collator.compare(one, other));
  return inOrder.map(([metric, own]) => {
    const sorted = own.sort((one, other) => rank(one) - rank(other)); // stable: the jobs keep their order
    return chartSpec(sorted, { key: `+${metric}`, title: plain(metric) }, voice, label, styles);
  });
}

/** Each under the part of its name before "/"; those without one come first. */
function inOrderOfGroups(charts: readonly ChartSpec[]): ChartSpec[] {
  const grouped = charts.map(chart => {
    const [group = '', rest] = chart.title.split('/');
    return rest === undefined ? chart : { ...chart, group };
  });
  return grouped.sort((one, other) => collator.compare(one.group ?? '', other.group ?? ''));
}

function ownChart(chart: CustomChart, at: number, all: readonly Line[], voice: ChartContext, styles: Style): ChartSpec {
  const lines = linesOf(chart, all, ({ key, replica }) => JSON.stringify([ownerOf(key), replica]));
  const label: Label = (line, among) => joined([chart.y.length > 1 ? plain(line.name) : '', asJob(line, among)]);
  const spec = chartSpec(
    lines,
    { key: `own ${at} ${chartTitle(chart)}`, title: chartTitle(chart) },
    voice,
    label,
    styles
  );
  const over = metricOf(chart.x);
  return {
    ...spec,
    note: lines.length ? spec.note : voice.say('None of these jobs has these metrics.'),
    group: voice.say('Own charts'),
    look: { axis: chart.x === 'time' ? 'time' : 'step', isLog: chart.log, smoothing: chart.smoothing },
    ...(over === null ? {} : { x: plain(over, 100) })
  };
}

/** The colour of each curve is that of its job; those of its replicas have other patterns. */
function stylesOf(lines: readonly Line[], jobs: readonly ComparedJob[]): number[] {
  const owners = lines.map(({ key }) => jobs.findIndex(({ id }) => id === ownerOf(key)));
  return owners.map((owner, at) => styleVariant(owner, owners.slice(0, at).filter(other => other === owner).length));
}

/** The key of a curve has the id of its job before what is its own. */
function keyOf(job: string, own: string): string {
  return JSON.stringify([job, own]);
}

function ownerOf(key: string): unknown {
  return (JSON.parse(key) as unknown[])[0];
}

class JointFeed implements SeriesSource {
  readonly #jobs: readonly ComparedJob[];
  readonly #curves: readonly JobCurves[];

  constructor(jobs: readonly ComparedJob[], changed: () => void, failed: (message: string) => void) {
    this.#jobs = jobs;
    this.#curves = jobs.map(job => new JobCurves(job, changed, failed));
  }

  get lines(): Line[] {
    const names = labels(this.#jobs);
    return this.#curves.flatMap((curves, at) => curves.lines(names[at] ?? ''));
  }

  get isWaiting(): boolean {
    return this.#curves.some(({ feed }) => feed.isWaiting);
  }

  get notes(): readonly string[] {
    const names = labels(this.#jobs);
    return this.#curves.flatMap(({ feed }, at) => feed.notes.map(note => `${names[at]}: ${note}`));
  }

  show(isShown: boolean): void {
    this.#curves.forEach(({ feed }) => feed.show(isShown));
  }

  ask(): void {
    this.#curves.forEach(({ feed }) => feed.ask());
  }

  dispose(): void {
    this.#curves.forEach(curves => curves.dispose());
  }
}

interface Moved {
  readonly from: Line;
  readonly origin: number;
  readonly label: string;
  readonly line: Line;
}

/** The curves of one job, each moved to where its job began. */
class JobCurves {
  readonly feed: SeriesFeed;
  readonly #job: ComparedJob;
  readonly #leave: () => void;
  readonly #moved = new Map<string, Moved>();

  constructor(job: ComparedJob, changed: () => void, failed: (message: string) => void) {
    this.#job = job;
    this.feed = new SeriesFeed(job.source, 'metrics', changed, message => failed(`${job.name}: ${message}`));
    this.#leave = job.source.listen({ push: (push, buffers) => this.feed.update(push, buffers) });
  }

  /** `label` is what the job is called. */
  lines(label: string): Line[] {
    const { lines } = this.feed;
    const origin = startTime(this.#job.model, lines);
    const hasReplicas = lines.some(line => line.replica !== lines[0]?.replica);
    return lines.map(line => this.#move(line, origin, hasReplicas ? joined([label, plain(line.replica)]) : label));
  }

  dispose(): void {
    this.#leave();
    this.feed.dispose();
  }

  #move(from: Line, origin: number, label: string): Line {
    const known = this.#moved.get(from.key);
    if (known?.from === from && known.origin === origin && known.label === label) {
      return known.line;
    }
    const key = keyOf(this.#job.id, from.key);
    const line: Line = { ...from, key, replica: label, times: from.times.map(time => time - origin) };
    this.#moved.set(from.key, { from, origin, label, line });
    return line;
  }
}
