/**
 * What is below the list of jobs: how many there are, and for those that are chosen, what can be done with them.
 *
 *   12 jobs, 2 running                       nothing is chosen
 *   2 chosen        [Open] [Stop] [⋯]
 *   Stop 2 jobs?  iris-1, iris-2             [Stop] [Keep running]
 *   Stopping…                                then nothing, or a sentence that stays until something else is done
 *
 * Rule 1: what cannot be taken back is asked about here, with the focus on the harmless answer.
 * Rule 2: a question is about the jobs that were chosen when it was asked, whatever is chosen then.
 */

import { isTerminal } from '../events.js';
import { Menu } from '../head/menu.js';
import { button, element, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import { type ActionJob, type ActionName, offered, perform } from './actions.js';
import type { JobRow } from './protocol.js';
import type { PanelContext } from './section.js';

const NAMED = 3; // jobs by name in a question
const BUTTONS: readonly ActionName[] = ['open', 'stop'];

/** What an action is called in a menu; menus of the host say the same. */
export const ACTION_LABELS: Readonly<Record<ActionName, string>> = {
  open: 'Open',
  openPage: 'Open in a browser tab',
  stop: 'Stop',
  rerunForm: 'Rerun…',
  rerun: 'Rerun as it was',
  clone: 'Clone to a new cell',
  goToCell: 'Go to cell',
  insertAttach: 'Insert %pai_attach',
  compare: 'Compare',
  board: 'TensorBoard',
  star: 'Add or remove star',
  annotate: 'Edit name, tags and note…',
  report: 'Report…',
  adopt: 'Import',
  remove: 'Delete'
};

interface Concern {
  readonly text: string;
  readonly yes: string;
  readonly no: string;
  readonly doing: string;
}

/** Of an action that one job needs no question for, but several do. */
const SEVERAL: Readonly<Partial<Record<ActionName, Concern>>> = {
  rerun: { text: 'Rerun {jobs} as they were?', yes: 'Rerun', no: 'Cancel', doing: 'Working…' }
};

const CONCERNS: Readonly<Partial<Record<ActionName, Concern>>> = {
  stop: { text: 'Stop {jobs}?', yes: 'Stop', no: 'Keep running', doing: 'Stopping…' },
  remove: {
    text: 'Delete {jobs} with all logs and outputs on this server? This cannot be undone.',
    yes: 'Delete',
    no: 'Keep',
    doing: 'Deleting…'
  }
};

export class ActionBar {
  readonly element = element('div', { class: 'pj-Panel-doings', role: 'group' });
  readonly #context: Pick<PanelContext, 'say' | 'act'>;
  readonly #wanted: readonly ActionName[];
  readonly #named: (row: JobRow) => string;
  readonly #line = element('span', { class: 'pj-Panel-doing' });
  readonly #buttons = element('span', { class: 'pj-JobView-group' });
  readonly #menu: Menu;
  readonly #trouble = element('p', { class: 'pj-JobView-trouble', role: 'alert' });
  readonly #bar: HTMLElement;
  readonly #question = new Question();
  #rows: readonly JobRow[] = [];
  #asked: readonly string[] = []; // the jobs that the question is about
  #summary = '';
  #busy = '';

  /** `named` says in a question which job it is; `buttons` are not in the menu. */
  constructor(
    context: Pick<PanelContext, 'say' | 'act'>,
    named: (row: JobRow) => string = row => plain(row.name, 60) || row.id,
    buttons: readonly ActionName[] = BUTTONS
  ) {
    this.#context = context;
    this.#wanted = buttons;
    this.#named = named;
    const { say } = context;
    this.#menu = new Menu(say('More actions'), () => this.items(this.#wanted));
    this.#bar = element(
      'div',
      { class: 'pj-JobView-tools pj-Panel-doingsBar' },
      this.#line,
      this.#buttons,
      this.#menu.element
    );
    this.#trouble.hidden = true;
    this.element.setAttribute('aria-label', say('Actions for the selected jobs'));
    this.element.append(this.#trouble, this.#question.element, this.#bar);
    this.#draw();
  }

  /** These are chosen now; `summary` says what there is while none are. */
  draw(rows: readonly JobRow[], summary: string): void {
    this.#rows = rows;
    this.#summary = summary;
    this.#draw();
  }

  /** Only these are listed now: a question about one that a filter hides, or that is gone, is taken back. */
  list(rows: readonly JobRow[]): void {
    if (this.#question.isOpen && !this.#asked.every(id => rows.some(row => row.id === id))) {
      this.#question.dismiss();
    }
  }

  /** Do this with the chosen jobs, once the user has confirmed it where that is asked. */
  async act(name: ActionName): Promise<void> {
    if (offered(this.#rows).includes(name)) {
      const about = name === 'stop' ? this.#rows.filter(row => !isTerminal(row.status)) : this.#rows;
      const concern = CONCERNS[name] ?? (about.length > 1 ? SEVERAL[name] : undefined);
      if (!concern || (await this.#confirm(concern, about))) {
        await this.#do(about, name, concern?.doing ?? 'Working…');
      }
    }
  }

  /** Do what needs no question with these jobs, chosen or not; false where it was refused, which is said. */
  doWith(name: ActionName, jobs: readonly ActionJob[]): Promise<boolean> {
    return this.#do(jobs, name, 'Working…');
  }

  dispose(): void {
    this.#question.dispose();
    this.#menu.dispose();
  }

  #draw(): void {
    const { say } = this.#context;
    const count = this.#rows.length;
    const names = offered(this.#rows);
    setText(this.#line, this.#busy || (count ? say('{count} selected', { count }) : this.#summary));
    this.#menu.element.hidden = names.length === 0;
    const wanted = this.#wanted.filter(name => names.includes(name));
    if (wanted.join() !== [...this.#buttons.children].map(one => (one as HTMLElement).dataset['action']).join()) {
      this.#buttons.replaceChildren(...wanted.map(name => this.#button(name)));
    }
  }

  #button(name: ActionName): HTMLElement {
    const made = button(this.#context.say(ACTION_LABELS[name]), 'small', () => void this.act(name));
    made.dataset['action'] = name;
    return made;
  }

  /** All that can be done with the chosen jobs, for a menu. */
  items(left: readonly ActionName[] = []): { label: string; choose(): void }[] {
    const names = offered(this.#rows).filter(name => !left.includes(name));
    return names.map(name => ({ label: this.#context.say(ACTION_LABELS[name]), choose: () => void this.act(name) }));
  }

  #confirm({ text, yes, no }: Concern, rows: readonly JobRow[]): Promise<boolean> {
    const { say } = this.#context;
    this.#asked = rows.map(row => row.id);
    const question = say(text, { jobs: this.#name(rows) });
    return this.#question.ask(question, [
      [say(yes), true, yes === 'Rerun' ? 'primary' : 'danger'],
      [say(no), false]
    ]);
  }

  async #do(jobs: readonly ActionJob[], name: ActionName, doing: string): Promise<boolean> {
    this.#show(this.#context.say(doing), '');
    try {
      await perform(this.#context.act, name, jobs);
      this.#show('', '');
      return true;
    } catch (error) {
      this.#show('', errorText(error));
      return false;
    }
  }

  #show(busy: string, trouble: string): void {
    this.#busy = busy;
    setText(this.#trouble, trouble);
    this.#trouble.hidden = trouble === '';
    this.#draw();
  }

  /** "iris-1, iris-2", or with many of them "iris-1, iris-2, iris-3 and 5 more". */
  #name(rows: readonly JobRow[]): string {
    const names = rows.slice(0, NAMED).map(this.#named).join(', ');
    const more = rows.length - NAMED;
    return more > 0 ? this.#context.say('{names} and {count} more', { names, count: more }) : names;
  }
}
