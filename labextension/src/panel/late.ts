/** A section whose code is loaded when it is first shown, with "Try again" where that fails. */

import { button, element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { SectionContext, Section } from './section.js';

export class LateSection<S extends Section> implements Section {
  readonly element = element('div', { class: 'pj-Panel-late' });
  readonly #context: Pick<SectionContext, 'say'>;
  readonly #make: () => Promise<S>;
  #loading: Promise<S | null> | null = null;
  #section: S | null = null;
  #isShown = false;
  #isDisposed = false;

  constructor(context: Pick<SectionContext, 'say'>, make: () => Promise<S>) {
    this.#context = context;
    this.#make = make;
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#section?.show(isShown);
    if (isShown && !this.#section) {
      void this.load();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#section?.dispose();
  }

  /** The section, once it is loaded; null where it cannot be. */
  load(): Promise<S | null> {
    this.#loading ??= this.#begin();
    return this.#loading;
  }

  async #begin(): Promise<S | null> {
    try {
      const section = await this.#make();
      if (this.#isDisposed) {
        section.dispose();
      } else {
        this.#section = section;
        this.element.replaceChildren(section.element);
        section.show(this.#isShown);
      }
      return section;
    } catch (error) {
      this.#loading = null; // another version was installed meanwhile, or the server is away
      const again = button(this.#context.say('Try again'), 'small', () => void this.load());
      const trouble = element('p', { class: 'pj-JobView-trouble', role: 'alert' }, `${errorText(error)} `, again);
      this.element.replaceChildren(trouble);
      return null;
    }
  }
}
