/** The form of a new cluster, or of another password for one. It stays open until the server has taken it. */

import type { DiscardQuestion, OpenableForm } from '../panel/openform.js';
import type { ClusterRow } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { Say } from '../tokens.js';
import { ClusterFields, clusterTitle } from './fields.js';

export const SAVE = 'save';

export class ClusterEditor implements OpenableForm<readonly ClusterRow[]> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #rest: Pick<Rest, 'post'>;
  readonly #fields: ClusterFields;
  readonly #trouble = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #lasting = new Disposables();
  #isChanged = false;

  constructor(say: Say, rest: Pick<Rest, 'post'>, known: ClusterRow | null) {
    this.#rest = rest;
    this.#fields = new ClusterFields(say, known);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Cluster') },
      ...(known ? [quiet(clusterTitle(known))] : []),
      this.#fields.element,
      element('div', { class: 'pj-JobView-formLine' }, this.#trouble)
    );
    this.#lasting.listen(this.element, 'input', () => (this.#isChanged = true));
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  refusal(): string {
    return '';
  }

  async submit(): Promise<readonly ClusterRow[] | null> {
    setText(this.#trouble, '');
    if (!this.#fields.check()) {
      this.element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      return null;
    }
    try {
      return await this.#fields.save(this.#rest);
    } catch (error) {
      setText(this.#trouble, errorText(error));
      return null;
    }
  }

  dispose(): void {
    this.#lasting.dispose();
  }
}

/** What is asked before typed text is thrown away. */
export function leaving(say: Say): DiscardQuestion {
  return [say('Discard what you have entered?'), say('Discard'), say('Keep editing')];
}
