/**
 * The form of a rerun: that of a cell, with what a job ran with. What it says goes to the server as the line that it
 * makes.
 *
 * Rule: the code, and what the notebook sent along, are those of the job; so what the line says of them stays.
 */

import type { OpenableForm, OpenForm } from '../panel/openform.js';
import type { RerunFormAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { element, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import type { Say } from '../tokens.js';
import type { JobNamed } from '../wire/schema.js';
import { CellForm } from './form.js';
import { parseLine } from './magicline.js';

const RERUN = 'rerun';

export interface RerunOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  readonly openForm: OpenForm;
}

/** Show the form of this job's rerun; the job that it started, null where none is wanted. */
export async function openRerun(job: string, { say, rest, openForm }: RerunOptions): Promise<JobNamed | null> {
  const path = `jobs/${encodeURIComponent(job)}`;
  const answer = await rest.get<RerunFormAnswer>(`${path}/form`);
  const form = new RerunForm(say, rest, path, answer);
  const leaving = [say('Discard what you have entered?'), say('Discard'), say('Keep editing')] as const;
  return openForm(say('Rerun…'), form, say('Cancel'), [[say('Rerun'), RERUN]], leaving);
}

export class RerunForm implements OpenableForm<JobNamed> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #say: Say;
  readonly #rest: Pick<Rest, 'post'>;
  readonly #path: string;
  readonly #form: CellForm;
  readonly #trouble = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });

  /** `path` is the job's below the root of our REST. */
  constructor(say: Say, rest: Pick<Rest, 'get' | 'post'>, path: string, answer: RerunFormAnswer) {
    [this.#say, this.#rest, this.#path] = [say, rest, path];
    this.#form = new CellForm({
      say,
      rest,
      ask: () => Promise.resolve(answer),
      parts: parseLine(answer.line) ?? [],
      notes: [say('The code is that of the job. To change it, clone the job to a new cell.')],
      isRerun: true,
      changed: () => this.#heard()
    });
    this.element = this.#form.element;
    this.element.append(this.#trouble);
  }

  get isChanged(): boolean {
    return this.#form.isChanged;
  }

  refusal(): string {
    return this.#form.isWrong ? this.#say('Fix the errors above') : this.#form.refusal;
  }

  async submit(): Promise<JobNamed | null> {
    setText(this.#trouble, '');
    try {
      return await this.#rest.post<JobNamed>(`${this.#path}/rerun`, { line: this.#form.line(false) });
    } catch (error) {
      setText(this.#trouble, errorText(error));
      return null;
    }
  }

  dispose(): void {
    this.#form.dispose();
  }

  #heard(): void {
    setText(this.#trouble, '');
    this.changed();
  }
}
