/**
 * The view of a run as an anywidget, for front ends without our server extension. It is a bundle of its own: together
 * with the view of a job it would be too large. So the job of a step is opened by what one types into a cell.
 */

import { copyText } from '../parts/copy.js';
import { button, element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import { languageOf } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { connect, type WidgetModel } from '../wire/comm.js';
import { randomId } from '../wire/protocol.js';
import { WireRun } from '../wire/run.js';
import type { RunHost } from './tokens.js';
import { runSay } from './translation.js';
import { mountRunView } from './view.js';

const GONE = 'The kernel that ran this cell is gone. The run goes on: type %pai_runs {run} in a new cell to see it.';

export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const run = String(model.get('job'));
  const language = languageOf(String(model.get('language')));
  const say = runSay(language);
  const { exchange, begin, release } = connect(model, say(GONE, { run }));
  const source = new WireRun(run, exchange, release);
  const hint = new Hint(say);
  const view = randomId(); // what is asked here is not asked by the view itself, which may be told anew meanwhile
  const host: RunHost = {
    language,
    openJob: job => hint.show(say('To see job {job}, run this in a cell:', { job }), `%pai_attach ${job}`),
    openRun: other => hint.show(say('To see run {run}, run this in a cell:', { run: other }), `%pai_runs ${other}`),
    stop: () => exchange.ask(view, run, 'stop_run', {}),
    inputs: async () => (await exchange.ask(view, run, 'run_inputs', {})).ok,
    rerun: async asked => (await exchange.ask(view, run, 'rerun_run', asked)).ok
  };
  const end = mountRunView(el, source, { host });
  el.querySelector('.pj-Run')?.append(hint.element);
  begin();
  return () => {
    end();
    source.dispose();
  };
}

/** What to type, with a button that copies it. */
class Hint {
  readonly element = element('p', { class: 'pj-Run-hint', role: 'status' });
  readonly #said = element('span', { class: 'pj-JobView-quiet', role: 'status' });
  readonly #say: Say;

  constructor(say: Say) {
    this.#say = say;
    this.element.hidden = true;
  }

  show(sentence: string, typed: string): void {
    const say = this.#say;
    const line = plain(typed, 200);
    const context = { say, announce: () => undefined };
    const copy = button(say('Copy'), 'small', () => void copyText(line, context, this.#said));
    this.#said.textContent = '';
    this.element.hidden = false;
    this.element.replaceChildren(`${sentence} `, element('code', {}, line), ' ', copy, ' ', this.#said);
    this.element.scrollIntoView?.({ block: 'nearest' });
  }
}

export default { render };
