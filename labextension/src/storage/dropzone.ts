/**
 * How files come from the user: dropped onto an element, or picked in the browser's own dialog.
 *
 * Rule: what is dropped here never gets to the browser, which would leave the page to show it.
 */

import { Disposables, element } from '../parts/dom.js';
import { type IncomingFiles, dropped, picked } from './incomingfiles.js';

export class DropZone {
  readonly #target: HTMLElement;
  readonly #picker = element('input', { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true' });
  readonly #lasting = new Disposables();

  /** `brought` hears of what comes onto `target`; `isWanted` says whether it may. */
  constructor(target: HTMLElement, isWanted: () => boolean, brought: (what: Promise<IncomingFiles>) => void) {
    this.#target = target;
    target.append(this.#picker);
    this.#lasting.listen(target, 'dragover', event => this.#over(event, isWanted()));
    this.#lasting.listen(target, 'dragleave', event => this.#leave(event));
    this.#lasting.listen(target, 'drop', event => {
      if (this.#end(event) && event.dataTransfer && isWanted()) {
        brought(dropped(event.dataTransfer));
      }
    });
    this.#lasting.listen(this.#picker, 'change', () => {
      const what = picked(this.#picker.files ?? []);
      this.#picker.value = ''; // so that the same file can be picked again
      brought(what);
    });
  }

  /** Open the dialog. */
  pick(): void {
    this.#picker.click();
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  #over(event: DragEvent, isWanted: boolean): void {
    if (hasFiles(event) && event.dataTransfer) {
      event.preventDefault();
      event.dataTransfer.dropEffect = isWanted ? 'copy' : 'none';
      this.#target.toggleAttribute('data-drop', isWanted);
    }
  }

  #leave({ relatedTarget }: DragEvent): void {
    if (!(relatedTarget instanceof Node) || !this.#target.contains(relatedTarget)) {
      this.#target.removeAttribute('data-drop');
    }
  }

  #end(event: DragEvent): boolean {
    this.#target.removeAttribute('data-drop');
    if (hasFiles(event)) {
      event.preventDefault();
      return true;
    }
    return false;
  }
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
