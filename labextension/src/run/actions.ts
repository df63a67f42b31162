/**
 * What one can do with a run: stop it, run it again as it was or with other values, delete its record. What cannot be
 * undone asks first, in its own place.
 *
 * Rule: what is unchanged is taken over, and only the rest runs.
 */

import { button, type ButtonKind, element } from '../parts/dom.js';
import { Outcome } from '../parts/outcome.js';
import { Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { RerunForm } from './rerun.js';
import { isOver } from './status.js';
import type { RunAgain, RunHost, RunRow } from './tokens.js';

export interface RunActionsContext {
  readonly say: Say;
  readonly host: RunHost;
  readonly kind: ButtonKind;
  /** What the run is called where there are others beside it: buttons say it to screen readers. */
  label?(run: RunRow): string;
  /** The path of the step that has the focus, or ''. */
  chosen(): string;
}

export class RunActions {
  readonly element = element('div', { class: 'pj-JobView-buttons' });
  /** What is asked, and how it went; below the header. */
  readonly line = element('div', { class: 'pj-Run-asked' });
  readonly #context: RunActionsContext;
  readonly #question = new Question();
  readonly #form: RerunForm;
  readonly #outcome = new Outcome();
  readonly #way = element('span');
  readonly #stop: HTMLButtonElement;
  readonly #rerun: HTMLButtonElement;
  readonly #change: HTMLButtonElement;
  readonly #delete: HTMLButtonElement;
  readonly #tab: HTMLButtonElement;
  #run: RunRow | null = null;
  #isBusy = false;

  constructor(context: RunActionsContext) {
    const { say, host, kind } = context;
    this.#context = context;
    this.#form = new RerunForm(say, { label: say('Run again with other values'), start: say('Run again') });
    this.#stop = button(say('Stop'), kind, () => void this.#askStop());
    this.#rerun = button(say('Run again'), kind, () => void this.#runAgain());
    this.#change = button(say('Run again with…'), kind, () => void this.#askValues());
    this.#delete = button(say('Delete'), kind, () => void this.#askDelete());
    this.#tab = button(say('Open in tab'), kind, () => this.#run && host.openTab?.(this.#run.id));
    this.element.append(this.#stop, this.#rerun, this.#change, this.#delete, this.#tab);
    this.line.append(this.#question.element, this.#form.element, this.#outcome.element, this.#way);
    this.draw(null);
  }

  draw(run: RunRow | null): void {
    const { host, label } = this.#context;
    this.#run = run;
    const isEnded = run !== null && isOver(run.status);
    const isHere = run?.is_here === true;
    const isDamaged = isHere && run.status === 'unknown';
    const canStop = run !== null && !isEnded && !run.is_stopping && !isDamaged && host.stop !== undefined;
    const hadFocus = document.activeElement === this.#stop;
    if (!canStop && !this.#stop.hidden) {
      this.#question.dismiss(); // it has ended by itself
    }
    this.#stop.hidden = !canStop;
    this.#rerun.hidden = !isHere || isDamaged || host.rerun === undefined;
    this.#change.hidden = this.#rerun.hidden || host.inputs === undefined;
    this.#tab.hidden = host.openTab === undefined;
    this.#delete.hidden = !isHere || !(isEnded || isDamaged) || host.remove === undefined;
    if (hadFocus && !canStop) {
      [this.#rerun, this.#delete].find(one => !one.hidden)?.focus();
    }
    if (run && label) {
      [this.#stop, this.#rerun, this.#change, this.#delete].forEach(one => {
        one.setAttribute('aria-label', `${one.textContent}: ${label(run)}`);
      });
    }
  }

  dispose(): void {
    this.#question.dispose();
    this.#form.dispose();
  }

  async #askStop(): Promise<void> {
    const { say, host } = this.#context;
    const text = say('Stop {name} and its jobs?', { name: this.#name });
    if (await this.#confirm(text, say('Stop'), say('Keep running'))) {
      await this.#do(say('Stopping…'), async () => host.stop?.());
    }
  }

  async #askDelete(): Promise<void> {
    const { say, host } = this.#context;
    const text = say('Delete the run {name}? Its jobs stay.', { name: this.#name });
    if (await this.#confirm(text, say('Delete'), say('Keep'))) {
      await this.#do(say('Deleting…'), async () => host.remove?.());
    }
  }

  get #name(): string {
    return plain(this.#run?.name, 100) || plain(this.#run?.id, 100);
  }

  #confirm(text: string, yes: string, no: string): Promise<boolean> {
    return this.#question.ask(text, [
      [yes, true, 'danger'],
      [no, false]
    ]);
  }

  async #runAgain(): Promise<void> {
    const { say, host } = this.#context;
    const rerun = host.rerun?.bind(host);
    if (rerun) {
      await this.#do(say('Starting…'), async () => this.#started(await rerun({})));
    }
  }

  async #askValues(): Promise<void> {
    const { host, chosen } = this.#context;
    const [inputs, rerun] = [host.inputs?.bind(host), host.rerun?.bind(host)];
    if (inputs && rerun) {
      this.#way.replaceChildren();
      this.#outcome.tell('');
      const again = await this.#form.ask({ inputs, rerun }, chosen());
      this.#outcome.tell(again ? this.#started(again) : '');
    }
  }

  /** Say so, and lead there; or say why nothing was. */
  #started({ run, problems }: RunAgain): string {
    const { say, host } = this.#context;
    if (problems.length) {
      throw new Error(problems.map(({ text }) => text).join(' '));
    }
    this.#way.replaceChildren(button(say('Open'), 'link', () => host.openRun?.(run)));
    this.#way.hidden = host.openRun === undefined;
    return say('The run was started again.');
  }

  /** Do one thing at a time: who clicks twice wants it once. */
  async #do(before: string, act: () => Promise<unknown>): Promise<void> {
    if (this.#isBusy) {
      return;
    }
    this.#isBusy = true;
    this.#way.replaceChildren();
    this.#outcome.tell(before);
    await this.#outcome.report(async () => {
      const said = await act();
      this.#outcome.tell(typeof said === 'string' ? said : '');
    });
    this.#isBusy = false;
  }
}
