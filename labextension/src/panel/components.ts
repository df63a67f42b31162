/** The section of components, as far as it is there from the beginning: the rest is loaded when it is first shown. */

import type { ComponentList } from '../component/section.js';
import { button, element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { PanelContext, Section } from './section.js';

export interface ComponentsSection extends Section {
  /** Have a new component described; resolves when its form is on its way. */
  newComponent(): Promise<void>;
}

export function componentsSection(context: PanelContext): ComponentsSection {
  return new LateSection(context);
}

class LateSection implements ComponentsSection {
  readonly element = element('div');
  readonly #context: PanelContext;
  #loading: Promise<ComponentList | null> | null = null;
  #list: ComponentList | null = null;
  #isShown = false;
  #isDisposed = false;

  constructor(context: PanelContext) {
    this.#context = context;
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#list?.show(isShown);
    if (isShown && !this.#list) {
      void this.#load();
    }
  }

  async newComponent(): Promise<void> {
    (await this.#load())?.newComponent();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#list?.dispose();
  }

  #load(): Promise<ComponentList | null> {
    this.#loading ??= this.#begin();
    return this.#loading;
  }

  async #begin(): Promise<ComponentList | null> {
    try {
      const { ComponentList } = await import('../component/section.js');
      const list = new ComponentList(this.#context);
      if (!this.#isDisposed) {
        this.#list = list;
        this.element.replaceChildren(list.element);
        list.show(this.#isShown);
      }
      return list;
    } catch (error) {
      this.#loading = null; // another version was installed meanwhile, or the server is away
      const again = button(this.#context.say('Try again'), 'small', () => void this.#load());
      const trouble = element('p', { class: 'pj-JobView-trouble', role: 'alert' }, `${errorText(error)} `, again);
      this.element.replaceChildren(trouble);
      return null;
    }
  }
}
