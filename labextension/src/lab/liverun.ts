/**
 * The live view of a run as a widget, for the output of a cell and for a tab; source and view go with the widget. The
 * code of the view is loaded with the first of them.
 */

import { Widget } from '@lumino/widgets';

import { button, element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { runSay } from '../run/translation.js';
import type { RunViewOptions } from '../run/view.js';
import type { WireRun } from '../wire/run.js';

export class LiveRun extends Widget {
  readonly #make: () => WireRun;
  readonly #options: RunViewOptions;
  readonly #refused: (error: unknown) => void;
  #end: () => void = () => undefined;

  /** `make` is asked for the source once the code is there; `refused` hears why the run cannot be shown. */
  constructor(make: () => WireRun, options: RunViewOptions, refused: (error: unknown) => void = () => undefined) {
    super();
    this.#make = make;
    this.#options = options;
    this.#refused = refused;
    void this.#load();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#end();
      super.dispose();
    }
  }

  async #load(): Promise<void> {
    try {
      const { mountRunView } = await import('../run/view.js');
      if (!this.isDisposed) {
        this.#mount(mountRunView);
      }
    } catch (error) {
      const { language } = this.#options.host; // another version was installed meanwhile, or the server is away
      const again = button(runSay(language)('Try again'), 'small', () => void this.#load());
      const trouble = element('p', { class: 'pj-JobView-trouble', role: 'alert' }, `${errorText(error)} `, again);
      this.node.replaceChildren(element('div', { class: 'pj-JobView' }, trouble));
    }
  }

  #mount(mountRunView: typeof import('../run/view.js').mountRunView): void {
    this.node.replaceChildren();
    const source = this.#make();
    const end = mountRunView(this.node, source, this.#options);
    this.#end = () => {
      end();
      source.dispose();
    };
    source.greeted.catch(this.#refused);
    this.begun(source);
  }

  /** The source is there. */
  protected begun(_: WireRun): void {
    // for tabs, which are called as the run is
  }
}
