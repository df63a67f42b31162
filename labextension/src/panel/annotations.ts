/**
 * The form in which name, star, tags and note of a job are edited, or star and tags of several. Loaded when it is
 * opened.
 *
 * Rule 1: only what was changed here is sent, so that what was changed elsewhere meanwhile stays.
 * Rule 2: what a tag or a name may be, the server says.
 */

import { Field, textControl } from '../cell/fields.js';
import { checkBox } from '../component/rows.js';
import { button, Disposables, element, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { type ActionJob, givesStar } from './actions.js';
import type { JobList } from './list.js';
import type { OpenableForm, OpenForm } from './openform.js';
import type { AnnotationsAnswer, AnnotationsChanged } from './protocol.js';
import type { Rest } from './rest.js';

const SAVE = 'save';
const OFFERED = 12; // known tags
const [LONGEST_NAME, LONGEST_NOTE] = [200, 10_000]; // characters, as the server takes them

export interface AnnotationsContext {
  readonly say: Say;
  readonly rest: Pick<Rest, 'get' | 'patch'>;
  /** Its tags are offered too; it may know of no job. */
  readonly list: Pick<JobList, 'rows'>;
  readonly openForm: OpenForm;
}

/** Have these jobs edited in a dialog, until that is saved or given up. */
export async function editAnnotations(jobs: readonly ActionJob[], context: AnnotationsContext): Promise<void> {
  const { say, rest, list, openForm } = context;
  const [first] = jobs;
  if (first === undefined) {
    return;
  }
  const known = jobs.length === 1 ? await rest.get<AnnotationsAnswer>(address(first.id)) : null;
  const all = new Map<string, ActionJob>([...list.rows, ...jobs.map(job => [job.id, job] as const)]);
  const form = new AnnotationsForm(jobs, known, tagsOf([...all.values()]), context);
  const title = known
    ? say('Name, tags and note of {name}', { name: plain(known.name || known.recorded_name, 60) })
    : say('Tags of {count} jobs', { count: jobs.length });
  const leaving = [say('Discard what you have entered?'), say('Discard'), say('Keep editing')] as const;
  await openForm(title, form, say('Cancel'), [[say('Save'), SAVE]], leaving);
}

class AnnotationsForm implements OpenableForm<true> {
  readonly element: HTMLElement;
  changed: () => void = () => undefined;
  readonly #ids: readonly string[];
  readonly #known: AnnotationsAnswer | null; // of the one job
  readonly #context: AnnotationsContext;
  readonly #name: Field;
  readonly #star: HTMLInputElement;
  readonly #tags: Field;
  readonly #without: Field;
  readonly #note: Field;
  readonly #trouble = element('p', { class: 'pj-JobView-fieldError', role: 'alert' });
  readonly #lasting = new Disposables();
  readonly #wasStarred: boolean | null; // null: some were
  readonly #begun: string;

  constructor(
    jobs: readonly ActionJob[],
    known: AnnotationsAnswer | null,
    tags: readonly string[],
    context: AnnotationsContext
  ) {
    [this.#ids, this.#known, this.#context] = [jobs.map(job => job.id), known, context];
    const { say } = context;
    this.#name = new Field(
      say('Name'),
      textControl(known?.name ?? ''),
      known ? say('Leave blank for the first name') : ''
    );
    const name = this.#name.control.element as HTMLInputElement;
    [name.placeholder, name.maxLength] = [plain(known?.recorded_name ?? '', 100), LONGEST_NAME];
    this.#tags = new Field(
      say(known ? 'Tags' : 'Add tags'),
      textControl(known?.tags.join(' ') ?? ''),
      say('Words with blanks between them')
    );
    this.#without = new Field(say('Remove tags'), textControl(''));
    this.#note = new Field(say('Note on the job'), textControl(known?.note ?? '', true));
    (this.#note.control.element as HTMLTextAreaElement).maxLength = LONGEST_NOTE;
    this.#star = checkBox(say('Star'), known ? known.is_starred : !givesStar(jobs));
    this.#star.indeterminate = !known && !this.#star.checked && jobs.some(job => job.is_starred);
    this.#wasStarred = this.#star.indeterminate ? null : this.#star.checked;
    this.element = this.#build(tags, tagsOf(jobs));
    this.#begun = JSON.stringify(this.#wanted);
    this.#lasting.listen(this.element, 'input', () => this.changed());
  }

  get isChanged(): boolean {
    return JSON.stringify(this.#wanted) !== this.#begun;
  }

  refusal(): string {
    return '';
  }

  /** Change all jobs, whatever becomes of one; then say what became of the first that failed. */
  async submit(): Promise<true | null> {
    const change = this.#wanted;
    if (!this.isChanged) {
      return true;
    }
    setText(this.#trouble, '');
    const done = await Promise.allSettled(this.#ids.map(id => this.#context.rest.patch(address(id), change)));
    const failed = done.find(result => result.status === 'rejected');
    if (failed) {
      setText(this.#trouble, errorText(failed.reason));
    }
    return failed ? null : true;
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  #build(known: readonly string[], own: readonly string[]): HTMLElement {
    const { say } = this.#context;
    const isOne = this.#known !== null;
    return element(
      'section',
      { class: 'pj-JobView pj-JobView-cellForm', 'aria-label': say('Name, tags and note') },
      ...(isOne ? [this.#name.element] : []),
      this.#tags.element,
      this.#offer(known, this.#tags),
      ...(isOne ? [this.#note.element] : [this.#without.element, this.#offer(own, this.#without)]),
      this.#star.closest('label'),
      this.#trouble
    );
  }

  /** Tags that there are, each a button that writes it into the field. */
  #offer(tags: readonly string[], { control }: Field): HTMLElement {
    const add = (tag: string): void => {
      control.set([...new Set([...words(control.get()), tag])].join(' '));
      this.changed();
    };
    const buttons = tags.slice(0, OFFERED).map(tag => button(plain(tag, 50), 'small', () => add(tag)));
    const label = this.#context.say('Known tags');
    const made = element('div', { class: 'pj-JobView-knownTags', role: 'group', 'aria-label': label }, ...buttons);
    made.hidden = buttons.length === 0;
    return made;
  }

  /** What is changed, by field. */
  get #wanted(): AnnotationsChanged {
    const known = this.#known;
    const tags = words(this.#tags.text);
    const isSame = this.#star.indeterminate || this.#star.checked === this.#wasStarred;
    const star = isSame ? {} : { is_starred: this.#star.checked };
    if (!known) {
      return { ...star, add: tags, remove: words(this.#without.text) };
    }
    const [name, note] = [this.#name.text.trim(), this.#note.text.trim()];
    return {
      ...star,
      ...(name === known.name ? {} : { name }),
      ...(note === known.note ? {} : { note }),
      add: tags.filter(tag => !known.tags.includes(tag)),
      remove: known.tags.filter(tag => !tags.includes(tag))
    };
  }
}

/** The tags of these jobs, those of most jobs first. */
function tagsOf(rows: readonly ActionJob[]): string[] {
  const counts = new Map<string, number>();
  rows.flatMap(row => row.tags ?? []).forEach(tag => counts.set(tag, (counts.get(tag) ?? 0) + 1));
  return [...counts].sort(([, one], [, other]) => other - one).map(([tag]) => tag);
}

function words(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

function address(id: string): string {
  return `jobs/${encodeURIComponent(id)}/annotations`;
}
