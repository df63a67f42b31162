/**
 * The user's own charts as a list: make one, change it, take it away; copy them as JSON, and paste the JSON of others.
 *
 * Rule: what is kept is the host's: it gives the charts, and hears of every change. What it could not keep is said
 *   here.
 */

import { copyText } from '../parts/copy.js';
import { button, element, quiet, setText } from '../parts/dom.js';
import { choice, field, setOptions, toggle, isPressed, setPressed, type Option } from '../parts/controls.js';
import { heading } from '../parts/blocks.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import {
  asX,
  ChartError,
  chartsJson,
  chartTitle,
  type CustomChart,
  MAX_CHARTS,
  metricOf,
  readCharts
} from './customcharts.js';

export class ChartList {
  readonly element: HTMLElement;
  charts: readonly CustomChart[] = [];
  readonly #say: Say;
  readonly #changed: (charts: readonly CustomChart[]) => Promise<void>;
  readonly #announce: (text: string) => void;
  readonly #rows = element('ul', { class: 'pj-JobView-chartRows' });
  readonly #editor: ChartEditor;
  readonly #paste = element('textarea', { class: 'pj-JobView-input', rows: 4, spellcheck: 'false' });
  readonly #copied = element('span', { class: 'pj-JobView-quiet', 'aria-hidden': 'true' });
  readonly #error = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #problem = quiet('');
  #edited: number | null = null; // the chart that the editor changes; null: it makes one

  /** `changed` keeps the charts, and rejects with the sentence why they cannot be kept. */
  constructor(say: Say, changed: (charts: readonly CustomChart[]) => Promise<void>, announce: (text: string) => void) {
    this.#say = say;
    this.#changed = changed;
    this.#announce = announce;
    this.#editor = new ChartEditor(say, chart => this.#save(chart));
    this.#paste.setAttribute('aria-label', say('Charts as JSON'));
    const tools = [
      button(say('Copy as JSON'), 'small', () => void this.#copy()),
      button(say('Add from JSON'), 'small', () => this.#import())
    ];
    this.element = element(
      'details',
      { class: 'pj-JobView-chartList' },
      element('summary', {}, say('Own charts')),
      this.#rows,
      this.#problem,
      this.#editor.element,
      heading(say('Charts as JSON'), ...tools, this.#copied),
      this.#paste,
      this.#error
    );
    this.#error.hidden = this.#problem.hidden = true;
    this.#draw();
  }

  /** The metrics that there are. */
  offer(names: readonly string[]): void {
    this.#editor.offer(names);
  }

  /** Take the charts that were kept; `problem` says what is kept and cannot be shown. */
  show(charts: readonly CustomChart[], problem = ''): void {
    setText(this.#problem, problem);
    this.#problem.hidden = problem === '';
    this.#take(charts);
  }

  #take(charts: readonly CustomChart[]): void {
    this.charts = charts;
    this.#draw();
  }

  /** Have these kept; `done` tells a screen reader that they are. */
  async #set(charts: readonly CustomChart[], done = ''): Promise<void> {
    this.#take(charts);
    this.#error.hidden = true;
    try {
      await this.#changed(charts);
      this.#announce(done);
    } catch (error) {
      this.#fail(errorText(error));
    }
  }

  #save(chart: CustomChart): void {
    const at = this.#edited;
    if (at === null && this.charts.length >= MAX_CHARTS) {
      this.#fail(this.#say('There are more than {count} charts.', { count: MAX_CHARTS }));
      return;
    }
    this.#edited = null;
    void this.#set(
      at === null ? [...this.charts, chart] : this.charts.map((one, place) => (place === at ? chart : one)),
      this.#say('Chart {title} saved.', { title: chartTitle(chart) })
    );
  }

  #draw(): void {
    this.#rows.hidden = this.charts.length === 0;
    this.#rows.replaceChildren(
      ...this.charts.map((chart, at) => {
        const title = chartTitle(chart);
        const named = (made: HTMLButtonElement): HTMLButtonElement => {
          made.setAttribute('aria-label', `${made.textContent}: ${title}`);
          return made;
        };
        return element(
          'li',
          {},
          title,
          named(button(this.#say('Edit'), 'small', () => this.#edit(at))),
          named(button(this.#say('Remove'), 'small', () => this.#remove(at)))
        );
      })
    );
  }

  #edit(at: number): void {
    const chart = this.charts[at];
    if (chart) {
      this.#edited = at;
      this.#editor.edit(chart);
    }
  }

  #remove(at: number): void {
    this.#edited = null;
    this.#editor.clear();
    void this.#set(this.charts.filter((_, place) => place !== at));
    (this.#rows.querySelectorAll('button')[2 * at] ?? this.#editor.first).focus();
  }

  async #copy(): Promise<void> {
    this.#paste.value = chartsJson(this.charts);
    await copyText(this.#paste.value, { say: this.#say, announce: this.#announce }, this.#copied);
  }

  #import(): void {
    try {
      const charts = [...this.charts];
      for (const chart of readCharts(this.#paste.value, this.#say)) {
        if (!charts.some(known => isSame(known, chart))) {
          charts.push(chart);
        }
      }
      const count = charts.length - this.charts.length;
      if (charts.length > MAX_CHARTS) {
        throw new ChartError(this.#say('There are more than {count} charts.', { count: MAX_CHARTS }));
      }
      void this.#set(charts, this.#say(count === 1 ? '1 chart added.' : '{count} charts added.', { count }));
    } catch (error) {
      if (!(error instanceof ChartError)) {
        throw error;
      }
      this.#fail(error.message);
    }
  }

  #fail(sentence: string): void {
    this.#error.hidden = false;
    setText(this.#error, sentence);
  }
}

function isSame(one: CustomChart, other: CustomChart): boolean {
  return chartsJson([one]) === chartsJson([other]);
}

/** The fields of one chart. */
class ChartEditor {
  readonly element: HTMLElement;
  readonly first = element('input', { type: 'text', class: 'pj-JobView-input', maxlength: 200 });
  readonly #say: Say;
  readonly #x: HTMLSelectElement;
  readonly #y = element('select', { class: 'pj-JobView-input', multiple: true, size: 5 });
  readonly #smoothing = element('input', { type: 'range', min: 0, max: 0.99, step: 0.01, value: 0 });
  readonly #log: HTMLButtonElement;
  readonly #hint = quiet('');
  readonly #saved: (chart: CustomChart) => void;

  constructor(say: Say, saved: (chart: CustomChart) => void) {
    this.#say = say;
    this.#saved = saved;
    this.#x = choice(say('X axis'), this.#axes([]), () => undefined);
    this.#log = toggle(say('Log scale'), () => undefined);
    this.#y.setAttribute('aria-label', say('Metrics'));
    this.#hint.setAttribute('role', 'status');
    this.element = element(
      'div',
      { class: 'pj-JobView-tools' },
      field(say('Title'), this.first),
      field(say('X axis'), this.#x),
      field(say('Metrics'), this.#y),
      field(say('Smoothing'), this.#smoothing),
      this.#log,
      button(say('Save chart'), 'small', () => this.#save()),
      this.#hint
    );
  }

  offer(names: readonly string[]): void {
    const chosen = this.#chosen();
    const all = [...new Set([...names, ...chosen])];
    setOptions(this.#x, this.#axes(all));
    if (JSON.stringify(all) !== JSON.stringify([...this.#y.options].map(({ value }) => value))) {
      this.#y.replaceChildren(...all.map(name => element('option', { value: name }, plain(name, 100))));
      this.#choose(chosen);
    }
  }

  edit({ title, x, y, smoothing, log }: CustomChart): void {
    const over = metricOf(x);
    this.offer([...[...this.#y.options].map(({ value }) => value), ...y, ...(over === null ? [] : [over])]);
    this.first.value = title;
    this.#x.value = x;
    this.#choose(y);
    this.#smoothing.value = String(smoothing);
    setPressed(this.#log, log);
    this.first.focus();
  }

  clear(): void {
    this.first.value = '';
    this.#choose([]);
    setText(this.#hint, '');
  }

  #axes(names: readonly string[]): Option[] {
    const fixed: Option[] = [
      ['step', this.#say('Step')],
      ['time', this.#say('Time')]
    ];
    return [...fixed, ...names.map((name): Option => [asX(name), plain(name, 100)])];
  }

  #chosen(): string[] {
    return [...this.#y.selectedOptions].map(option => option.value);
  }

  #choose(names: readonly string[]): void {
    [...this.#y.options].forEach(option => (option.selected = names.includes(option.value)));
  }

  #save(): void {
    const y = this.#chosen();
    if (y.length === 0) {
      setText(this.#hint, this.#say('Choose at least one metric.'));
      return;
    }
    const [smoothing, log] = [Number(this.#smoothing.value), isPressed(this.#log)];
    this.#saved({ title: this.first.value.trim(), x: this.#x.value, y, smoothing, log });
    this.clear();
  }
}
