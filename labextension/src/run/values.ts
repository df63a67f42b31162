/** Named values of a run or a step as text: what went in, and what came out. */

import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { RunHead, RunStep } from './tokens.js';

type Values = Readonly<Record<string, string>>;

const MOST = 50; // values of a kind
const LONGEST = 300; // characters of a value
const MASKED = '***';
const REST = '…'; // the name of a value that says how many are left out

/** Each as "name = value". */
export function valueTexts(values: Values | undefined, longest = LONGEST): string[] {
  return Object.entries(values ?? {})
    .slice(0, MOST)
    .map(([name, value]) => `${plain(name, 100)}${name === REST ? '' : ' ='} ${plain(value, longest)}`);
}

/** What went into a run as labels have it, "name=value"; what is masked tells nothing. */
export function inputLabels(inputs: Values | undefined): string[] {
  return Object.entries(inputs ?? {}).flatMap(([name, value]) =>
    name === REST || value === MASKED ? [] : [`${name}=${value}`]
  );
}

/** What a run or a step has given: values first, then places. */
export function outputTexts({ parameters, artifacts }: Pick<RunStep, 'parameters' | 'artifacts'>): string[] {
  return [...valueTexts(parameters), ...valueTexts(artifacts)];
}

/** What went into a run or a step, and what came out. */
export class ValueList {
  readonly element = element('dl', { class: 'pj-Run-values' });
  readonly #say: Say;
  #drawn = '';

  constructor(say: Say) {
    this.#say = say;
    this.element.hidden = true;
  }

  draw(of: Pick<RunHead | RunStep, 'inputs' | 'parameters' | 'artifacts'>): void {
    const say = this.#say;
    const kinds = [
      [say('Inputs'), valueTexts(of.inputs)],
      [say('Outputs'), outputTexts(of)]
    ] as const;
    const drawn = JSON.stringify(kinds);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      const shown = kinds.filter(([, texts]) => texts.length);
      this.element.hidden = shown.length === 0;
      this.element.replaceChildren(
        ...shown.map(([kind, texts]) =>
          element('div', {}, element('dt', {}, kind), ...texts.map(text => element('dd', {}, text)))
        )
      );
    }
  }
}
