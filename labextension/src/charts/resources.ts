/**
 * The Resources tab: what each replica took of the machine over time, one chart a kind; and while the job runs, what
 * its processes do right now, where the host can load the code for that.
 */

import { isTerminal } from '../events.js';
import { readStatus } from '../head/status.js';
import { withTooltip } from '../parts/controls.js';
import { button, element, quiet } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { bytes, formatNumber, formatValue } from '../text/format.js';
import type { Context, Pane, Push, Say, StacksPart } from '../tokens.js';
import { ChartMaker, loadCharts } from './chart.js';
import { asReplica, ChartPane, type Label, ofJob, chartSpec } from './pane.js';
import type { Line } from './series.js';

/** The kinds in their order; a kind that is not here is not drawn. */
const TITLES: Readonly<Record<string, string>> = {
  cpu: 'CPU (cores)',
  memory: 'Memory',
  gpu: 'GPU load',
  gpu_memory: 'GPU memory',
  disk_read: 'Disk read',
  disk_written: 'Disk written',
  net_received: 'Network in',
  net_sent: 'Network out'
};
const NEAR = 0.2; // part of a limit from which on it is drawn: a line far above would press all others flat
const KINDS = Object.keys(TITLES);
const LIMIT = '~limit'; // in the place of a replica's name, which begins with a letter
const EMPTY = 'No resource data yet. It is sampled every few seconds while the job runs.';
const UNMEASURED = 'The resources of this job are not measured.';
const NONE = 'No resource data was recorded.';

export function resourcesPane(context: Context, load: () => Promise<ChartMaker> = loadCharts): Pane {
  const network = quiet(context.say('The network was not measured.'));
  return new ResourcesPane(context, chartsOf(context, load, network), network);
}

class ResourcesPane implements Pane {
  readonly element: HTMLElement;
  readonly #context: Context;
  readonly #charts: Pane;
  readonly #tools: HTMLElement;
  readonly #place = element('div');
  #stacks: StacksPart | null = null;
  #isDisposed = false;

  constructor(context: Context, charts: Pane, remark: HTMLElement) {
    const { say } = context;
    this.#context = context;
    this.#charts = charts;
    this.#tools = element(
      'div',
      { class: 'pj-JobView-tools' },
      withTooltip(
        button(say('Stacks'), 'small', () => void this.#look('dump')),
        say('What the Python processes of the job do right now')
      ),
      withTooltip(
        button(say('Record 10 s'), 'small', () => void this.#look('record')),
        say('Where the job spends its time, as a flame graph')
      )
    );
    const parts = [this.#tools, this.#place, charts.element, remark];
    this.element = element('div', { class: 'pj-JobView-resources' }, ...parts);
    this.#draw();
  }

  show(isShown: boolean): void {
    this.#charts.show(isShown);
  }

  update(push: Push, buffers: ArrayBuffer[]): void {
    this.#draw();
    this.#charts.update(push, buffers);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stacks?.dispose();
    this.#charts.dispose();
    this.element.remove();
  }

  #draw(): void {
    const { host, model } = this.#context;
    this.#tools.hidden = !host.loadStacks || readStatus(model.state.status) !== 'running';
  }

  async #look(what: 'dump' | 'record'): Promise<void> {
    try {
      const make = await this.#context.host.loadStacks?.();
      if (!make || this.#isDisposed) {
        return;
      }
      this.#stacks ??= make(this.#context);
      this.#place.replaceChildren(this.#stacks.element);
      await this.#stacks[what]();
    } catch (error) {
      this.#place.replaceChildren(quiet(errorText(error))); // the code is not there: another version was installed
    }
  }
}

/** The charts; `network` is shown where disks are measured, and the network is not: of a process nobody can tell. */
function chartsOf(context: Context, load: () => Promise<ChartMaker>, network: HTMLElement): Pane {
  network.hidden = true;
  const label: Label = (line, all) => (line.replica === LIMIT ? context.say('limit') : asReplica(line, all));
  const titleOf = (kind: string): string => context.say(TITLES[kind] ?? kind);
  return new ChartPane(
    context,
    {
      ...ofJob(context, 'usage'),
      get empty() {
        const { job, state } = context.model;
        const isOver = isTerminal(readStatus(state.status));
        return context.say(isOver ? NONE : job?.is_measured === false ? UNMEASURED : EMPTY);
      },
      controls: [],
      title: line => titleOf(line.name),
      choose: lines => {
        const has = (kind: string): boolean => lines.some(({ name }) => name.startsWith(kind));
        network.hidden = !has('disk_') || has('net_');
        return inOrder(lines);
      },
      plan: lines =>
        KINDS.filter(kind => lines.some(line => line.name === kind)).map(kind => {
          const own = lines.filter(line => line.name === kind);
          const limits = limitsOf(own);
          const spec = chartSpec(
            [...own, ...limits],
            { key: kind, title: titleOf(kind), fromZero: true },
            context,
            label
          );
          return { ...spec, note: [spec.note, ...remarks(own, limits, context.say)].filter(Boolean).join(' ') };
        }),
      look: origin => ({ axis: 'time', isLog: false, smoothing: 0, origin })
    },
    load
  );
}

/** The limits of these lines that are near enough, each as a line of its own. */
function limitsOf(lines: readonly Line[]): Line[] {
  const near = lines.filter(({ limit = 0, max }) => limit > 0 && max >= NEAR * limit);
  return [...new Map(near.map(line => [line.limit, line])).values()].map(line => {
    const made = limitLines.get(line) ?? limitLine(line);
    limitLines.set(line, made);
    return made;
  });
}

/** Made once for each line, so that a chart of the same lines is not drawn again. */
const limitLines = new WeakMap<Line, Line>();

function limitLine(line: Line): Line {
  const ends = [0, line.length - 1];
  const of = (column: Float64Array): Float64Array => Float64Array.from(ends, at => column[at] ?? NaN);
  const value = line.limit ?? NaN;
  const values = Float64Array.of(value, value);
  const key = `${line.key} ${LIMIT}`;
  const statistics = { last: value, min: value, max: value, odd: 0, length: 2, count: 1 };
  return { ...line, ...statistics, key, replica: LIMIT, steps: of(line.steps), times: of(line.times), values };
}

/** The limits that are not drawn, and what the lines add up to. */
function remarks(lines: readonly Line[], drawn: readonly Line[], say: Say): string[] {
  const far = lines.map(({ limit }) => limit ?? 0).filter(limit => limit && !drawn.some(line => line.limit === limit));
  const limits = [...new Set(far)].map(limit => say('Limit: {limit}', { limit: formatValue(limit, unitOf(lines)) }));
  const totals = lines.flatMap(({ total }) => (total === undefined ? [] : [total]));
  const sum = totals.reduce((all, total) => all + total, 0);
  return [...limits, ...(totals.length ? [say('Total: {total}', { total: totalText(sum, lines, say) })] : [])];
}

function unitOf([line]: readonly Line[]): string {
  return line?.unit ?? '';
}

/** Bytes; or hours of a core. */
function totalText(sum: number, lines: readonly Line[], say: Say): string {
  return unitOf(lines) === 'B/s' ? bytes(sum) : say('{count} hours', { count: formatNumber(sum / 3_600, 2) });
}

function inOrder(lines: Line[]): Line[] {
  return lines
    .filter(line => KINDS.includes(line.name))
    .sort((one, other) => {
      return KINDS.indexOf(one.name) - KINDS.indexOf(other.name) || (one.replica < other.replica ? -1 : 1);
    });
}
