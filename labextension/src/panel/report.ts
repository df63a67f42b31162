/**
 * The form in which a report of jobs is asked for: page or notebook, its name, its title. Loaded when it is opened.
 *
 * Rule: a file that is there is not replaced before somebody has said so, for this very file.
 */

import { choiceControl, Field, textControl } from '../cell/fields.js';
import { checkBox } from '../component/rows.js';
import { Disposables, element, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { OpenableForm, OpenForm } from './openform.js';
import type { ReportAnswer } from './protocol.js';
import type { Rest } from './rest.js';

const WRITE = 'write';
const LONGEST = 200; // characters of a name or a title
const [PAGE, NOTEBOOK] = ['.html', '.ipynb'];
const ENDING = /\.(html|ipynb)$/i;

export interface ReportContext {
  readonly say: Say;
  readonly rest: Pick<Rest, 'post'>;
  readonly openForm: OpenForm;
  /** Where it is written, from the server's root; '' is that. */
  readonly folder: string;
}

/** Have a report of these jobs written; its path from the server's root, null where none is wanted. */
export async function askReport(ids: readonly string[], context: ReportContext): Promise<string | null> {
  const { say, openForm } = context;
  const count = ids.length;
  const title = say(count === 1 ? 'Report of 1 job' : 'Report of {count} jobs', { count });
  const leaving = [say('Discard what you have entered?'), say('Discard'), say('Keep editing')] as const;
  const form = new ReportForm(ids, context);
  return openForm(title, form, say('Cancel'), [[say('Write report'), WRITE]], leaving);
}

class ReportForm implements OpenableForm<string> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #ids: readonly string[];
  readonly #context: ReportContext;
  readonly #kind: Field;
  readonly #name: Field;
  readonly #title: Field;
  readonly #replace: HTMLInputElement;
  readonly #trouble = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #lasting = new Disposables();
  readonly #begun: string;
  #taken = ''; // the path at which there is a file already

  constructor(ids: readonly string[], context: ReportContext) {
    [this.#ids, this.#context] = [ids, context];
    const { say, folder } = context;
    this.#kind = new Field(
      say('Report as'),
      choiceControl(
        [
          [PAGE, say('HTML page')],
          [NOTEBOOK, say('Notebook')]
        ],
        PAGE
      )
    );
    const where = folder
      ? say('In the folder {folder}', { folder: plain(folder, 200) })
      : say("In the server's root folder");
    this.#name = new Field(say('File name'), textControl('report'), where);
    this.#title = new Field(say('Title'), textControl(''), say('Leave blank for "Report of jobs"'));
    for (const { control } of [this.#name, this.#title]) {
      (control.element as HTMLInputElement).maxLength = LONGEST;
    }
    this.#replace = checkBox(say('Replace the file'), false);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Report…') },
      this.#kind.element,
      this.#name.element,
      this.#title.element,
      this.#replace.closest('label'),
      this.#trouble
    );
    this.#begun = this.#typed;
    this.#offerReplacing(false);
    this.#lasting.listen(this.element, 'input', () => this.#heard());
    this.#lasting.listen(this.element, 'change', () => this.#heard());
  }

  get isChanged(): boolean {
    return this.#typed !== this.#begun;
  }

  refusal(): string {
    return this.#base === '' ? this.#context.say('Enter a file name') : '';
  }

  async submit(): Promise<string | null> {
    const { say, rest } = this.#context;
    const path = this.#path;
    setText(this.#trouble, '');
    try {
      const asked = { jobs: this.#ids, path, title: this.#title.text.trim(), replace: this.#replace.checked };
      const written = await rest.post<ReportAnswer>('report', asked);
      if (written.is_written) {
        return written.path;
      }
      this.#taken = path;
      this.#offerReplacing(true);
      setText(this.#trouble, say('{file} is there already. Choose another name, or replace it.', { file: path }));
    } catch (error) {
      setText(this.#trouble, errorText(error));
    }
    return null;
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  get #typed(): string {
    return JSON.stringify([this.#kind.text, this.#name.text, this.#title.text]);
  }

  /** The name without an ending, which the kind gives. */
  get #base(): string {
    return this.#name.text.trim().replace(ENDING, '');
  }

  get #path(): string {
    const { folder } = this.#context;
    return `${folder ? `${folder}/` : ''}${this.#base}${this.#kind.text}`;
  }

  #heard(): void {
    if (this.#taken && this.#path !== this.#taken) {
      this.#offerReplacing(false);
      setText(this.#trouble, '');
    }
    this.changed();
  }

  #offerReplacing(isOffered: boolean): void {
    const label = this.#replace.closest('label');
    if (label) {
      label.hidden = !isOffered;
    }
    this.#replace.checked = false;
    this.#taken = isOffered ? this.#taken : '';
  }
}
