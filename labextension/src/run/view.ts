/**
 * The live view of one run, for a cell's output and for a tab.
 *
 *     const end = mountRunView(element, source, { host, saved });      // ... and when it goes:  end();
 *
 *   ┌ header    state, name, counts, time, Stop and Run again ┐
 *   │ notes     reason, notes, outputs, connection            │
 *   │ stage     the steps: as a graph, or as a table          │   stage.ts, graph.ts, tree.ts
 *   └ details   the step that has the focus                   ┘
 *
 * Rule 1: nothing here knows the server, the kernel or the notebook: the source brings the data, the host the rest.
 * Rule 2: what a run says becomes text nodes (`dom.ts`), cleaned by `sanitize.ts`.
 * Rule 3: a push draws what is new in it; one timer, which runs only while the run does and the page can be seen.
 * Rule 4: after `end()` no listener or timer is left.
 */

import { Notes } from '../head/notes.js';
import { Disposables, element } from '../parts/dom.js';
import { keepFromNotebook } from '../parts/keys.js';
import { plain } from '../text/sanitize.js';
import type { Say, SourceStatus } from '../tokens.js';
import { RunActions } from './actions.js';
import { Details } from './details.js';
import { RunHeader } from './header.js';
import { RunModel } from './model.js';
import { Stage } from './stage.js';
import { isOver, lookWord, reasonOf } from './status.js';
import type { RunContext, RunHost, RunPushed, RunSource, RunStep, SavedRun } from './tokens.js';
import { runSay } from './translation.js';
import { stepName } from './words.js';

const CONSOLE = 'console'; // what the link to it is called
const SECOND = 1_000; // milliseconds
const MOST_TOLD = 5; // steps in one announcement

export interface RunViewOptions {
  readonly host: RunHost;
  /** What a saved notebook has, shown until the run itself answers. */
  readonly saved?: SavedRun | null;
}

/** Draw the run of `source` in `element` until the returned function is called; the source stays the caller's. */
export function mountRunView(parent: HTMLElement, source: RunSource, options: RunViewOptions): () => void {
  const view = new RunView(source, options);
  parent.append(view.element);
  return () => {
    view.dispose();
    view.element.remove();
  };
}

class RunView {
  readonly element = element('section', { class: 'pj-JobView pj-Run' });
  readonly #model = new RunModel();
  readonly #say: Say;
  readonly #host: RunHost;
  readonly #header: RunHeader;
  readonly #actions: RunActions;
  readonly #notes: Notes;
  readonly #stage: Stage;
  readonly #details: Details;
  readonly #spoken = element('div', { class: 'pj-JobView-spoken', role: 'status' });
  readonly #lasting = new Disposables();
  #focused = '';
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(source: RunSource, { host, saved = null }: RunViewOptions) {
    const say = (this.#say = runSay(host.language));
    this.#host = host;
    const context: RunContext = {
      say,
      host,
      now: () => this.#model.now(),
      open: path => this.#open(path),
      focused: path => this.#show(path)
    };
    this.#header = new RunHeader(say);
    this.#notes = new Notes(say);
    this.#stage = new Stage(context, this.#model, levels => source.open(levels));
    this.#details = new Details(context);
    this.#actions = new RunActions({ say, host, kind: 'plain', chosen: () => this.#focused });
    this.#build(source, saved);
    this.#connect(source);
  }

  dispose(): void {
    this.#lasting.dispose();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#actions.dispose();
    this.#stage.dispose();
  }

  #build(source: RunSource, saved: SavedRun | null): void {
    if (saved) {
      this.#header.drawSaved(saved);
    }
    this.#header.actions.append(this.#actions.element);
    this.#stage.element.hidden = true;
    this.#label(plain(saved?.name, 100) || source.run);
    this.element.append(
      this.#header.element,
      this.#actions.line,
      this.#notes.element,
      this.#header.notes,
      this.#stage.element,
      this.#details.element,
      this.#spoken
    );
  }

  #connect(source: RunSource): void {
    this.#lasting.add(
      source.listen({
        push: push => this.#take(push),
        status: (status, message) => this.#drawConnection(status, message)
      })
    );
    this.#drawConnection(source.status, '');
    this.#lasting.listen(document, 'visibilitychange', () => this.#tick());
    this.#lasting.listen(this.element, 'keydown', keepFromNotebook);
  }

  #take(push: RunPushed): void {
    const before = this.#model.run?.status;
    const was = new Map(push.steps.map(({ path }) => [path, this.#model.step(path)?.status]));
    const change = this.#model.push(push);
    const { run } = this.#model;
    if (!run) {
      return;
    }
    this.#label(plain(run.name, 100));
    this.#header.draw(run, this.#model.now());
    this.#notes.drawState({ notices: [], links: run.url ? { [CONSOLE]: run.url } : {}, reason: '' });
    this.#actions.draw(run);
    this.#stage.element.hidden = false;
    this.#stage.update(change);
    this.#details.draw(this.#model.step(this.#focused) ?? null);
    this.#tick();
    if (before !== undefined) {
      const isNews = (step: RunStep): boolean => was.get(step.path) !== step.status && isOver(step.status);
      this.#announce(before, change.isAll ? [] : change.steps.filter(isNews));
    }
  }

  /** One timer, only while there is a time that runs and somebody who can see it. */
  #tick(): void {
    const { run } = this.#model;
    const runs = run !== null && !isOver(run.status) && !document.hidden;
    if (runs && this.#timer === undefined) {
      this.#timer = setInterval(() => this.#drawTimes(), SECOND);
    } else if (!runs) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #drawTimes(): void {
    if (this.#model.run) {
      this.#header.tick(this.#model.run, this.#model.now());
      this.#stage.tick();
    }
  }

  #drawConnection(status: SourceStatus, message: string): void {
    const text = this.#notes.drawConnection(status, message);
    if (status === 'busy' || status === 'offline') {
      this.#spoken.textContent = text;
    }
  }

  /** Open the job of this step, or the level that it is. */
  #open(path: string): void {
    const step = this.#model.step(path);
    if (step?.has_picture) {
      this.#stage.go(path);
    } else if (step && hasJob(step)) {
      this.#host.openJob?.(step.job ?? '');
    }
  }

  #show(path: string): void {
    this.#focused = path;
    this.#details.draw(this.#model.step(path) ?? null);
  }

  #announce(before: string, ended: readonly RunStep[]): void {
    const { run } = this.#model;
    const say = this.#say;
    const texts = ended.slice(0, MOST_TOLD).map(step => {
      return say('{job}: {state}', { job: stepName(step), state: lookWord(step.status, say) });
    });
    if (run && run.status !== before) {
      const values = { job: plain(run.name, 100), state: lookWord(run.status, say), cause: reasonOf(run) };
      texts.push(say(values.cause ? '{job}: {state}. {cause}' : '{job}: {state}', values));
    }
    if (texts.length) {
      this.#spoken.textContent = texts.reduce((one, other) => say('{one}. {other}', { one, other }));
    }
  }

  #label(name: string): void {
    this.element.setAttribute('aria-label', this.#say('Run {name}', { name }));
  }
}

/** Whether there is a job to be opened: an id may be noted before its job is made. */
function hasJob({ job = '', tries = [] }: RunStep): boolean {
  return job !== '' && tries.at(-1)?.status !== 'created';
}
