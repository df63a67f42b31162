/**
 * The form of a job file that is to be submitted or simulated: what is wrong with it, what it is warned about, and the
 * cluster; or, for a simulation, local images in place of its own. Where there is nothing to say and nothing to choose,
 * it need not be opened.
 *
 * Rule 1: a file with something wrong in it is not submitted; the form then says what, and has no button for it.
 * Rule 2: what the server refuses is said here, with a field for the password where that is what it refuses.
 */

import { choiceControl, Field } from '../cell/fields.js';
import type { OpenableForm } from '../panel/openform.js';
import type { ClusterRow, JobFileAnswer, SubmitAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { Disposables, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import { ClusterFields, clusterTitle } from './fields.js';
import { ImageFields } from './images.js';

export type JobFileAction = 'submit' | 'simulate';

const LONGEST = 1_000; // characters of a sentence

export interface JobFileOptions {
  readonly say: Say;
  readonly rest: Pick<Rest, 'post'>;
  readonly action: JobFileAction;
  readonly path: string;
  readonly answer: JobFileAnswer;
}

export class JobFileForm implements OpenableForm<SubmitAnswer> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #options: JobFileOptions;
  readonly #cluster = element('div');
  readonly #login = element('div');
  readonly #images: ImageFields;
  readonly #trouble = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #progress = element('p', { class: 'pj-JobView-quiet', role: 'status' });
  readonly #lasting = new Disposables();
  #clusters: readonly ClusterRow[];
  #choice: Field | null = null;
  #fields: ClusterFields | null = null; // of a new cluster, or of a password
  #isChanged = false;

  constructor(options: JobFileOptions) {
    const { say, answer } = (this.#options = options);
    this.#clusters = answer.clusters;
    this.#images = new ImageFields(say, options.action === 'simulate' ? answer.images : []);
    this.element = element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Job file') },
      ...this.#told(),
      this.#cluster,
      this.#login,
      this.#images.element,
      element('div', { class: 'pj-JobView-formLine' }, this.#trouble, this.#progress)
    );
    if (this.#hasCluster) {
      this.#offer();
    }
    this.#lasting.listen(this.element, 'input', () => (this.#isChanged = true));
  }

  /** Whether nothing has to be said, chosen or typed before it can be submitted. */
  get isReady(): boolean {
    const { errors, warnings, clusters } = this.#options.answer;
    const isPlain = errors.length + warnings.length === 0 && this.#images.isEmpty;
    return isPlain && (!this.#hasCluster || clusters.length === 1) && !this.#fields;
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  refusal(): string {
    return '';
  }

  async submit(): Promise<SubmitAnswer | null> {
    const { say, rest, action, path } = this.#options;
    setText(this.#trouble, '');
    if (!(this.#fields?.check() ?? true) || !this.#images.check()) {
      this.element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      return null;
    }
    setText(this.#progress, action === 'submit' ? say('Submitting…') : say('Starting…'));
    try {
      await this.#save();
      const more = this.#hasCluster ? { cluster: this.#chosen?.name ?? null } : { images: this.#images.given };
      return await rest.post<SubmitAnswer>(`jobfile/${action}`, { path, ...more });
    } catch (error) {
      this.#refused(error);
      return null;
    } finally {
      setText(this.#progress, '');
    }
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  get #hasCluster(): boolean {
    return this.#options.action === 'submit' && this.#options.answer.errors.length === 0;
  }

  get #chosen(): ClusterRow | undefined {
    const name = this.#choice?.text;
    return this.#clusters.find(each => each.name === name) ?? this.#clusters[0];
  }

  #told(): HTMLElement[] {
    const { say, path, action, answer } = this.#options;
    const file = plain(path.split('/').at(-1), 200);
    const refused =
      action === 'submit' ? say('{file} is not submitted.', { file }) : say('{file} is not simulated.', { file });
    return [
      ...(answer.errors.length
        ? [element('div', { role: 'alert' }, element('p', {}, refused), sentences(answer.errors))]
        : []),
      ...(answer.warnings.length ? [element('h3', {}, say('Warnings')), sentences(answer.warnings)] : [])
    ];
  }

  /** Have one of the clusters chosen; without any, the first one described. */
  #offer(): void {
    const { say } = this.#options;
    const options = this.#clusters.map(each => [each.name, clusterTitle(each)] as const);
    const [first] = this.#clusters;
    if (options.length > 1) {
      this.#choice = new Field(say('Cluster'), choiceControl(options, first?.name ?? ''));
      this.#choice.control.element.addEventListener('change', () => this.#ask(this.#lacksPassword));
      this.#cluster.replaceChildren(this.#choice.element);
    } else {
      this.#choice = null;
      const text = first
        ? say('Cluster: {cluster}', { cluster: clusterTitle(first) })
        : say('No cluster yet. Add one:');
      this.#cluster.replaceChildren(quiet(text));
    }
    this.#ask(this.#lacksPassword);
  }

  get #lacksPassword(): boolean {
    return !this.#chosen?.password_in;
  }

  /** Show the fields that must be filled in, if there are any. */
  #ask(isNeeded: boolean): void {
    this.#fields = isNeeded ? new ClusterFields(this.#options.say, this.#chosen ?? null) : null;
    this.#login.replaceChildren(...(this.#fields ? [this.#fields.element] : []));
  }

  /** Have what was typed taken; the cluster that it is about stays the chosen one. */
  async #save(): Promise<void> {
    if (this.#fields) {
      const before = this.#chosen?.name;
      this.#clusters = await this.#fields.save(this.#options.rest);
      this.#offer();
      this.#choice?.control.set(before ?? this.#clusters[0]?.name ?? '');
      this.#ask(this.#lacksPassword);
    }
  }

  #refused(error: unknown): void {
    const asksLogin = this.#hasCluster && error instanceof RequestError && error.type === 'AuthError';
    setText(this.#trouble, asksLogin ? withoutMagics(errorText(error)) : errorText(error));
    if (asksLogin) {
      this.#ask(true);
    }
  }
}

function sentences(texts: readonly string[]): HTMLElement {
  return element(
    'ul',
    { class: 'pj-Clusters-sentences' },
    ...texts.map(text => element('li', {}, plain(text, LONGEST)))
  );
}

/** The sentences without those that say which magic to type: the field for that is here. */
function withoutMagics(text: string): string {
  const kept = text.split(/(?<=[.!?]\s|[。！？])/).filter(sentence => !sentence.includes('%pai_'));
  return kept.join('').trim() || text;
}
