/** The difference of the code of two jobs, line by line. */

import { heading } from '../parts/blocks.js';
import { choice, field, setOptions, type Option } from '../parts/controls.js';
import { element, quiet } from '../parts/dom.js';
import { differenceBlock } from '../parts/difflines.js';
import { Loading } from '../parts/loading.js';
import type { DifferenceAnswer } from '../panel/protocol.js';
import type { Say } from '../tokens.js';
import { type ComparedJob, labels } from './job.js';

/** The difference of the scripts of two jobs, the second being the newer. */
export type AskDifference = (from: string, to: string) => Promise<DifferenceAnswer>;

export class CodeDifference {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #jobs: readonly ComparedJob[];
  readonly #ask: AskDifference;
  readonly #from: HTMLSelectElement;
  readonly #to: HTMLSelectElement;
  readonly #loading: Loading;
  #isWanted = false;
  #isBegun = false;

  constructor(say: Say, jobs: readonly ComparedJob[], ask: AskDifference) {
    this.#say = say;
    this.#jobs = jobs;
    this.#ask = ask;
    this.#loading = new Loading(say);
    this.#from = choice(say('From'), [], () => this.#load());
    this.#to = choice(say('To'), [], () => this.#load());
    const pair = [field(say('From'), this.#from), field(say('To'), this.#to)];
    this.element = element(
      'div',
      { class: 'pj-JobView-difference' },
      heading(say('Difference of the code'), ...pair),
      this.#loading.element
    );
  }

  /** Somebody looks. */
  show(): void {
    this.#isWanted = true;
    this.told();
  }

  /** The jobs may have other names than before; once all have said what they are, the first question is asked. */
  told(): void {
    const names = labels(this.#jobs);
    const options = this.#jobs.map(({ id }, at): Option => [id, names[at] ?? id]);
    setOptions(this.#from, options);
    setOptions(this.#to, options);
    const isKnown = this.#jobs.every(({ model, status }) => model.job !== null || status === 'offline');
    if (this.#isWanted && isKnown && !this.#isBegun) {
      this.#choose();
      this.#load();
    }
  }

  /** The connection is back: ask again what failed. */
  retry(): void {
    this.#loading.retry();
  }

  dispose(): void {
    this.#loading.dispose();
  }

  /** From the oldest to the newest. */
  #choose(): void {
    const created = ({ model }: ComparedJob): number => model.job?.created ?? Infinity;
    const byAge = [...this.#jobs].sort((one, other) => created(one) - created(other));
    this.#from.value = byAge[0]?.id ?? '';
    this.#to.value = byAge.at(-1)?.id ?? '';
  }

  #load(): void {
    this.#isBegun = true;
    const [from, to] = [this.#from.value, this.#to.value];
    void this.#loading.load(
      () => this.#ask(from, to),
      answer => this.#draw(answer)
    );
  }

  #draw({ lines, is_cut }: DifferenceAnswer): Node[] {
    const say = this.#say;
    if (lines.every(({ kind }) => kind === 'same' || kind === 'skipped') && !is_cut) {
      return [quiet(say('The scripts are the same.'))];
    }
    const label = say('Difference of the code');
    const code = differenceBlock(lines, label, say);
    return is_cut ? [code, quiet(say('The scripts differ in more lines than are shown.'))] : [code];
  }
}
