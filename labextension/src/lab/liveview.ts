/** The live view of a job as a widget, for the output of a cell and for a tab; source and view go with the widget. */

import { Widget } from '@lumino/widgets';

import { type JobViewOptions, mountJobView } from '../jobview.js';
import type { WireSource } from '../wire/source.js';

export class LiveView extends Widget {
  readonly #end: () => void;

  /** `options` are asked for the element that the view will be in. */
  constructor(
    readonly source: WireSource,
    options: (node: HTMLElement) => JobViewOptions
  ) {
    super();
    this.#end = mountJobView(this.node, source, options(this.node));
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#end();
      this.source.dispose();
      super.dispose();
    }
  }
}
