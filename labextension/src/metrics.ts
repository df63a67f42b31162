/**
 * The Metrics tab: what the job prints and what it writes for TensorBoard, one chart a metric or all in one.
 *
 * Replicas that report a metric of the same name share its chart. The settings live as long as the tab does.
 */

import type { ChartMaker } from './chart.js';
import type { Plan } from './charts/card.js';
import { ChartPane, loadCharts, planOf } from './charts/pane.js';
import { element } from './dom.js';
import { plain } from './plain.js';
import type { Line, Look } from './series.js';
import type { Context, Pane } from './tokens.js';

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
    plan: lines => (controls.together.checked && lines.length > 0 ? [together(lines, context)] : apart(lines, context)),
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
  readonly together: HTMLInputElement;
  readonly elements: readonly HTMLElement[];
  readonly #changed: () => void;
  readonly #axis: HTMLSelectElement;
  readonly #log: HTMLInputElement;
  readonly #smoothing: HTMLInputElement;
  readonly #amount = element('output', { class: 'pj-JobView-amount' }, '0');

  constructor(context: Context, changed: () => void) {
    this.#changed = changed;
    const { say } = context;
    this.filter = element('input', { type: 'search', class: 'pj-JobView-input', placeholder: say('Filter by name') });
    this.filter.setAttribute('aria-label', say('Filter by name'));
    this.together = element('input', { type: 'checkbox' });
    this.#log = element('input', { type: 'checkbox' });
    this.#smoothing = element('input', { type: 'range', min: 0, max: 0.99, step: 0.01, value: 0 });
    this.#axis = element(
      'select', { class: 'pj-JobView-select' },
      element('option', { value: 'step' }, say('Step')), element('option', { value: 'time' }, say('Time'))
    );
    this.elements = [
      this.filter, field(say('Over'), this.#axis), field(say('Smoothing'), this.#smoothing, this.#amount),
      tick(this.#log, say('Log scale')), tick(this.together, say('One chart'))
    ];
    for (const input of [this.filter, this.together, this.#axis, this.#log, this.#smoothing]) {
      input.addEventListener('input', () => this.#take());
    }
  }

  look(origin: number): Look {
    const axis = this.#axis.value === 'time' ? 'time' : 'step';
    return { axis, isLog: this.#log.checked, smoothing: Number(this.#smoothing.value), origin };
  }

  #take(): void {
    this.#amount.textContent = this.#smoothing.value;
    this.#changed();
  }
}

function field(label: string, ...inputs: HTMLElement[]): HTMLElement {
  return element('label', { class: 'pj-JobView-field' }, label, ...inputs);
}

function tick(box: HTMLInputElement, label: string): HTMLElement {
  return element('label', { class: 'pj-JobView-field' }, box, label);
}
