/**
 * The fold of a section in the side bar. The section is made when it is first seen, and told when it is seen and when
 * not: by its fold, the side bar, and the page.
 */

import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { quiet } from '../parts/dom.js';
import type { PanelContext, Section } from '../panel/section.js';

export interface SectionFactory<S extends Section> {
  /** Null where there is nothing to be shown, and `missing` says why. */
  context(): Promise<PanelContext | null>;
  make(context: PanelContext): S;
  missing(): string;
}

export class SectionHost<S extends Section = Section> extends Widget {
  readonly #making: SectionFactory<S>;
  readonly #spoken: (isShown: boolean) => void;
  readonly #seen = (): void => this.#update();
  #section: S | null = null;
  #isMaking = false;

  /** `shown` hears whether the section can be seen. */
  constructor(making: SectionFactory<S>, shown: (isShown: boolean) => void = () => undefined) {
    super();
    this.#making = making;
    this.#spoken = shown;
    this.addClass('pj-JobView');
    this.addClass('pj-Panel-host');
    document.addEventListener('visibilitychange', this.#seen);
  }

  /** The section, once it has been seen. */
  get section(): S | null {
    return this.#section;
  }

  /** Look again, as if it were shown for the first time. */
  renew(): void {
    this.#tell(false);
    this.#update();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      document.removeEventListener('visibilitychange', this.#seen);
      this.#section?.dispose();
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#update();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.#update();
  }

  protected override onBeforeHide(message: Message): void {
    super.onBeforeHide(message);
    this.#tell(false);
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this.#tell(false);
  }

  #update(): void {
    const isSeen = this.isVisible && !document.hidden;
    if (isSeen && !this.#section && !this.#isMaking) {
      void this.#make();
    }
    this.#tell(isSeen);
  }

  async #make(): Promise<void> {
    this.#isMaking = true;
    const context = await this.#making.context();
    if (this.isDisposed) {
      return;
    }
    if (context) {
      this.#section = this.#making.make(context);
      this.node.replaceChildren(this.#section.element);
      this.#update();
    } else {
      this.node.replaceChildren(quiet(this.#making.missing()));
    }
  }

  #tell(isShown: boolean): void {
    this.#section?.show(isShown);
    this.#spoken(isShown && this.#section !== null);
  }
}
