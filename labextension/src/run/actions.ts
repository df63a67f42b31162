/**
 * What one can do with a run: stop it, or run it again, from a step on. Both ask first, in their own place.
 *
 * Rule: what is unchanged before that step is taken over, and only the rest runs: the question says so.
 */

import { button, element, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { RerunQuestion } from './rerun.js';
import { isOver } from './status.js';
import type { RunHead, RunHost } from './tokens.js';

export interface RunActionsContext {
  readonly say: Say;
  readonly host: RunHost;
  /** Steps from which it can be run again, by name, and the one that has the focus, or ''. */
  steps(): readonly string[];
  chosen(): string;
}

export class RunActions {
  readonly element = element('div', { class: 'pj-JobView-buttons' });
  /** What is asked, and how it went; below the header. */
  readonly line = element('div', { class: 'pj-Run-asked' });
  readonly #context: RunActionsContext;
  readonly #question = new Question();
  readonly #again: RerunQuestion;
  readonly #outcome = element('p', { role: 'status' });
  readonly #way = element('span');
  readonly #stop: HTMLButtonElement;
  readonly #rerun: HTMLButtonElement;
  readonly #tab: HTMLButtonElement;
  #run: RunHead | null = null;

  constructor(context: RunActionsContext, run: string) {
    const { say, host } = context;
    this.#context = context;
    this.#again = new RerunQuestion(say);
    this.#stop = button(say('Stop'), 'plain', () => void this.#askStop());
    this.#rerun = button(say('Run again…'), 'plain', () => void this.#askRerun());
    this.#tab = button(say('Open in tab'), 'plain', () => host.openTab?.(run));
    this.#tab.hidden = host.openTab === undefined;
    this.element.append(this.#stop, this.#rerun, this.#tab);
    this.line.append(this.#question.element, this.#again.element, this.#outcome, this.#way);
    this.draw(null);
  }

  draw(run: RunHead | null): void {
    const { host } = this.#context;
    this.#run = run;
    const canStop = run !== null && host.stop !== undefined && !isOver(run.status) && !run.is_stopping;
    const hadFocus = document.activeElement === this.#stop;
    this.#stop.hidden = !canStop;
    this.#rerun.hidden = run === null || host.rerun === undefined || !run.is_here;
    if (hadFocus && !canStop && !this.#rerun.hidden) {
      this.#rerun.focus();
    }
    if (!canStop && this.#question.isOpen) {
      this.#question.dismiss(); // it has ended by itself
    }
  }

  dispose(): void {
    this.#question.dispose();
    this.#again.dispose();
  }

  async #askStop(): Promise<void> {
    const { say, host } = this.#context;
    const name = plain(this.#run?.name, 100);
    const isWanted = await this.#question.ask(say('Stop {name} and its jobs?', { name }), [
      [say('Stop'), true, 'danger'],
      [say('Keep running'), false]
    ]);
    if (isWanted && host.stop) {
      await this.#do(say('Stopping…'), host.stop.bind(host), () => '');
    }
  }

  async #askRerun(): Promise<void> {
    const { say, host, steps, chosen } = this.#context;
    const from = await this.#again.ask(steps(), chosen());
    if (from !== null && host.rerun) {
      const rerun = host.rerun.bind(host);
      await this.#do(
        say('Starting…'),
        () => rerun(from || null),
        id => {
          this.#way.replaceChildren(button(say('Open'), 'link', () => host.openRun?.(id)));
          this.#way.hidden = host.openRun === undefined;
          return say('The run was started again.');
        }
      );
    }
  }

  async #do<T>(before: string, act: () => Promise<T>, after: (answer: T) => string): Promise<void> {
    this.#way.replaceChildren();
    this.#tell(before);
    try {
      this.#tell(after(await act()));
    } catch (error) {
      this.#tell(errorText(error), true);
    }
  }

  #tell(text: string, isBad = false): void {
    setText(this.#outcome, text);
    this.#outcome.className = isBad ? 'pj-JobView-trouble' : 'pj-JobView-quiet';
  }
}
