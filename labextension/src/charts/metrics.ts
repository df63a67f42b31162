/**
 * The Metrics tab: what the job prints and what it writes for TensorBoard, one chart a metric or all in one.
 *
 * Replicas that report a metric of the same name share its chart. The settings live as long as the tab does.
 */

import { choice, field, isOn, searchBox, toggle } from '../parts/controls.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/plain.js';
import type { Context, Pane } from '../tokens.js';
import type { Plan } from './card.js';
import { ChartMaker, loadCharts } from './chart.js';
import { ChartPane, planOf } from './pane.js';
import type { Line, Look } from './series.js';

const EMPTY = 'No metrics so far. Print lines such as "epoch 3 loss=0.2", say what to look for with '
  + '--metric NAME:REGEX, or write TensorBoard events to os.environ["PAI_OUTPUT_TENSORBOARD"].';
const byName = new Intl.Collator(undefined, { numeric: true });

export function metricsPane(context: Context, load: () => Promise<ChartMaker> = loadCharts): Pane {
  const { say } = context;
  const controls = new Controls(context, () => pane.refresh());
  const pane: ChartPane = new ChartPane(context, {
    group: 'metrics',
    empty: say(EMPTY),
    controls: controls.elements,
    title: line => plain(line.name),
    choose: lines => chosen(lines, controls.filter.value),
    plan: lines => (isOn(controls.together) && lines.length > 0 ? [together(lines, context)] : apart(lines, context)),
    look: origin => controls.look(origin)
  }, load);
  return pane;
}

/** Lines whose name has `part` in it, by name, then by replica. */
function chosen(lines: Line[], part: string): Line[] {
  const wanted = part.trim().toLowerCase();
  return lines
    .filter(line => line.name.toLowerCase().includes(wanted))
    .sort((one, other) => byName.compare(one.name, other.name) || byName.compare(one.replica, other.replica));
}

function apart(lines: Line[], context: Context): Plan[] {
  const metrics = new Map<string, Line[]>();
  for (const line of lines) {
    metrics.set(line.name, [...(metrics.get(line.name) ?? []), line]);
  }
  return [...metrics].map(([name, own]) => {
    const unit = own[0]?.unit ?? '';
    return planOf(own, { key: `=${name}`, title: plain(name), unit, fromZero: false, isLarge: false }, context);
  });
}

function together(lines: Line[], context: Context): Plan {
  const more = { key: 'all', title: context.say('All metrics'), unit: '', fromZero: false, isLarge: true };
  return planOf(lines, more, context, true);
}

/** What the user can set. */
class Controls {
  readonly filter: HTMLInputElement;
  readonly together: HTMLButtonElement;
  readonly elements: readonly HTMLElement[];
  readonly #axis: HTMLSelectElement;
  readonly #log: HTMLButtonElement;
  readonly #smoothing = element('input', { type: 'range', min: 0, max: 0.99, step: 0.01, value: 0 });

  constructor({ say }: Context, changed: () => void) {
    const amount = element('output', { class: 'pj-JobView-amount' }, '0');
    this.filter = searchBox(say('Filter by name'), changed);
    this.#axis = choice(say('Over'), [['step', say('Step')], ['time', say('Time')]], changed);
    this.#log = toggle(say('Log scale'), changed);
    this.together = toggle(say('One chart'), changed);
    this.#smoothing.addEventListener('input', () => {
      amount.textContent = this.#smoothing.value;
      changed();
    });
    this.elements = [
      this.filter, field(say('Over'), this.#axis), field(say('Smoothing'), this.#smoothing, amount), this.#log,
      this.together
    ];
  }

  look(origin: number): Look {
    const axis = this.#axis.value === 'time' ? 'time' : 'step';
    return { axis, isLog: isOn(this.#log), smoothing: Number(this.#smoothing.value), origin };
  }
}
