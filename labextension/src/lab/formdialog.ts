/**
 * A form in a dialog of JupyterLab that stays open until what it is for has been done. Loaded when one is opened.
 *
 * Rule 1: Enter is a key of the form while the focus is in it: nothing is done but by the buttons. In the field of a
 *   password, where logins end, it is the first button.
 * Rule 2: what has begun is waited for though the dialog has been closed, so that its outcome is told.
 * Rule 3: a changed form is thrown away by its own button; Escape, the cross and a click beside it ask first.
 */

import { Dialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import type { DiscardQuestion, FormChoice, OpenableForm } from '../panel/openform.js';
import { Question } from '../parts/question.js';

export async function openForm<T>(
  title: string,
  form: OpenableForm<T>,
  cancel: string,
  choices: readonly FormChoice[],
  leaving: DiscardQuestion
): Promise<T | null> {
  const buttons = choices.map(([label], at) => Dialog.okButton({ label, className: buttonClass(at) }));
  const question = new Question();
  const leave = ([text, discard, keep]: DiscardQuestion): Promise<boolean> =>
    question.ask(text, [
      [discard, true, 'danger'],
      [keep, false]
    ]);
  const dialog = new FormDialog<T>(form, choices, question, () => leave(leaving), {
    title,
    body: new FormDialogBody(form, question),
    buttons: [Dialog.cancelButton({ label: cancel }), ...buttons],
    defaultButton: Math.min(1, choices.length), // a form may have nothing but to be closed
    focusNodeSelector: 'input:not([readonly])'
  });
  dialog.addClass('pj-CellDialog');
  await dialog.launch();
  await dialog.begun;
  return dialog.answer;
}

function buttonClass(at: number): string {
  return `pj-CellDialog-choice${at}`;
}

class FormDialog<T> extends Dialog<unknown> {
  answer: T | null = null;
  begun: Promise<void> = Promise.resolve();
  readonly #form: OpenableForm<T>;
  readonly #choices: readonly FormChoice[];
  readonly #question: Question;
  readonly #mayLeave: () => Promise<boolean>;
  #isBusy = false;

  constructor(
    form: OpenableForm<T>,
    choices: readonly FormChoice[],
    question: Question,
    mayLeave: () => Promise<boolean>,
    options: Partial<Dialog.IOptions<unknown>>
  ) {
    super(options);
    this.#form = form;
    this.#choices = choices;
    this.#question = question;
    this.#mayLeave = mayLeave;
    form.changed = () => this.#allow();
  }

  /** The dialog's own way of taking a button; the first one cancels. */
  override resolve(index = Math.min(1, this.#choices.length)): void {
    const choice = this.#choices[index - 1]?.[1];
    if (choice === undefined) {
      super.resolve(index);
    } else if (!this.#isBusy && !this.#form.refusal(choice)) {
      this.begun = this.#submit(choice, index);
    }
  }

  /** The dialog's own way of being closed: by Escape, the cross, a click beside it. */
  override reject(): void {
    if (this.#question.isOpen) {
      this.#question.dismiss(); // Escape again is the harmless answer
    } else if (this.#isBusy || !this.#form.isChanged) {
      super.reject();
    } else {
      void this.#leave();
    }
  }

  protected override onAfterAttach(message: Parameters<Dialog<unknown>['processMessage']>[0]): void {
    super.onAfterAttach(message);
    this.#allow();
  }

  async #leave(): Promise<void> {
    if (await this.#mayLeave()) {
      super.reject();
    }
  }

  async #submit(choice: string, index: number): Promise<void> {
    this.#isBusy = true;
    this.#allow();
    try {
      this.answer = await this.#form.submit(choice);
    } finally {
      this.#isBusy = false;
    }
    if (this.answer !== null) {
      super.resolve(index);
    } else if (!this.isDisposed) {
      this.#allow();
    }
  }

  /** A button that cannot be pressed says why. */
  #allow(): void {
    this.#choices.forEach(([, choice], at) => {
      const made = this.node.querySelector<HTMLButtonElement>(`button.${buttonClass(at)}`);
      if (made) {
        const refusal = this.#form.refusal(choice);
        made.disabled = refusal !== '';
        made.title = refusal;
        made.setAttribute('aria-disabled', String(this.#isBusy || made.disabled));
      }
    });
  }
}

class FormDialogBody extends Widget {
  readonly #form: OpenableForm<unknown>;
  readonly #question: Question;

  constructor(form: OpenableForm<unknown>, question: Question) {
    super();
    this.#form = form;
    this.#question = question;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      document.removeEventListener('keydown', this.#keep, true);
      this.#question.dispose();
      this.#form.dispose();
      super.dispose();
    }
  }

  /** Only now, when JupyterLab has given the controls of its own dialogs their look: ours have their own. */
  protected override onBeforeAttach(): void {
    this.#form.element.append(this.#question.element);
    this.node.append(this.#form.element);
    document.addEventListener('keydown', this.#keep, true);
  }

  readonly #keep = (event: KeyboardEvent): void => {
    const isOurs = event.target instanceof Node && this.node.contains(event.target);
    if (event.key === 'Enter' && isOurs && (event.repeat || !isPassword(event.target))) {
      event.stopPropagation(); // on its way down to the dialog
    }
  };
}

function isPassword(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'password';
}
