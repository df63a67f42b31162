/**
 * The form of a run: from which step on where there are steps to choose from, and with which values. It stands in its
 * own place, has the focus while it is open, and Escape ends it. It stays open while the server says what is wrong.
 */

import { choice, field } from '../parts/controls.js';
import { button, Disposables, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { InputFields } from './inputs.js';
import type { RunAgain, RunHost, RunInputsAnswer } from './tokens.js';

const NAME_LENGTH = 200;

export class RerunForm {
  readonly element = element('div', { class: 'pj-Run-rerun', role: 'group' });
  readonly #say: Say;
  readonly #start: string;
  readonly #trouble = element('p', { class: 'pj-JobView-trouble', role: 'alert' });
  readonly #progress = element('p', { class: 'pj-JobView-quiet', role: 'status' });
  readonly #lasting = new Disposables();
  #end: (again: RunAgain | null) => void = () => undefined;

  /** `label`: what the form is called, `start`: the button that starts the run. */
  constructor(say: Say, { label, start }: { readonly label: string; readonly start: string }) {
    this.#say = say;
    this.#start = start;
    this.element.setAttribute('aria-label', label);
    this.element.hidden = true;
    this.#lasting.listen(this.element, 'keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.#end(null);
      }
    });
  }

  /** The run that was started, null for none; `chosen` is the step to begin with, if it is one to choose. */
  async ask(host: Required<Pick<RunHost, 'inputs' | 'rerun'>>, chosen: string): Promise<RunAgain | null> {
    this.#end(null);
    const before = document.activeElement;
    this.#tell('', this.#say('Loading…'));
    this.element.replaceChildren(this.#trouble, this.#progress);
    this.element.hidden = false;
    const ended = new Promise<RunAgain | null>(resolve => {
      this.#end = again => {
        this.#end = () => undefined;
        this.#close(before);
        resolve(again);
      };
    });
    const end = this.#end;
    try {
      const offered = await host.inputs();
      if (end === this.#end) {
        this.#draw(offered, host.rerun, chosen);
      }
    } catch (error) {
      this.#tell(errorText(error));
      this.element.append(button(this.#say('Close'), 'plain', () => this.#end(null)));
    }
    return ended;
  }

  dispose(): void {
    this.#end(null);
    this.#lasting.dispose();
  }

  #draw({ inputs, steps }: RunInputsAnswer, rerun: Required<RunHost>['rerun'], chosen: string): void {
    const say = this.#say;
    const label = say('Run again from');
    const names = steps.map(path => [path, plain(path, NAME_LENGTH)] as const);
    const from = choice(label, [['', say('what has failed or changed')], ...names], () => undefined);
    const first = chosen.split('/')[0] ?? '';
    from.value = [chosen, first].find(path => steps.includes(path)) ?? '';
    const fields = new InputFields(say, inputs);
    const start = button(this.#start, 'primary', () => void this.#submit(start, fields, from.value, rerun));
    const taken = say('Results before that step are taken over where nothing has changed.');
    this.#tell('');
    this.element.replaceChildren(
      ...(steps.length ? [field(label, from), quiet(taken)] : []),
      fields.element,
      this.#trouble,
      this.#progress,
      element(
        'div',
        { class: 'pj-JobView-group' },
        start,
        button(say('Cancel'), 'plain', () => this.#end(null))
      )
    );
    this.element.querySelector<HTMLElement>('select, input, textarea, button')?.focus();
  }

  async #submit(
    start: HTMLButtonElement,
    fields: InputFields,
    from: string,
    rerun: Required<RunHost>['rerun']
  ): Promise<void> {
    const end = this.#end;
    start.disabled = true;
    this.#tell('', this.#say('Starting…'));
    try {
      const again = await rerun({ from_step: from || null, parameters: fields.given });
      this.#tell(fields.tell(again.problems).join(' '));
      if (!again.problems.length && end === this.#end) {
        end(again);
      }
    } catch (error) {
      this.#tell(errorText(error));
    }
    start.disabled = false;
  }

  #tell(trouble: string, progress = ''): void {
    setText(this.#trouble, trouble);
    setText(this.#progress, progress);
  }

  #close(before: Element | null): void {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.element.replaceChildren();
    if (hadFocus && before instanceof HTMLElement && before.isConnected) {
      before.focus({ preventScroll: true });
    }
  }
}
