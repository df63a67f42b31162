/**
 * The live view of one job, for a cell's output and wherever else there is an element for it.
 *
 *     const end = mountJobView(element, source, { host, saved });      // ... and when it goes:  end();
 *
 *   ┌ header    state, name, place, time, Stop and menu; phases and progress ┐
 *   │ outcome   how the last action went                                     │
 *   │ notes     connection, notices, links                                   │
 *   │ failure   cause, hint, last lines, Retry                               │
 *   │ replicas  how each stands, where there are several; opens its log      │
 *   └ tabs      Overview, Logs, Metrics, Resources, TensorBoard, Files, ...  ┘
 *
 * Everything on screen is a drawing of the `PushedModel`, which the pushes of the source are folded into.
 *
 *   tokens.ts   what a view asks and is told      wire/    requests, answers and pushes over a socket or a comm
 *   events.ts   the fold; model.ts keeps it       head/    what is above the tabs
 *   lab/        the host in JupyterLab            logs/    the Logs tab              panes/   the smaller tabs
 *   widget.ts   the host elsewhere, an anywidget  charts/  Metrics and Resources     parts/   what all are made of
 *                                                 text/    numbers, times and words for people; zh/ in Chinese
 *
 * Rule 1: nothing here knows the server, the kernel or the notebook: the source brings the data, the host the rest.
 * Rule 2: what a job says becomes text nodes (`dom.ts`), cleaned by `sanitize.ts`.
 * Rule 3: one timer, which runs only while the job does and the page can be seen. Timers here and in the panes are
 *   plain ones: the widget bundle has this code too, and carries no lumino.
 * Rule 4: after `end()` no listener, timer or pane is left.
 */

import { metricsPane } from './charts/metrics.js';
import { resourcesPane } from './charts/resources.js';
import { ended, isTerminal } from './events.js';
import { Actions } from './head/actions.js';
import { FailureBox } from './head/failure.js';
import { Header } from './head/header.js';
import { Notes } from './head/notes.js';
import { Rerun } from './head/rerun.js';
import { savedFacts } from './head/savedfacts.js';
import { Replicas } from './head/replicas.js';
import { readStatus, statusWord } from './head/status.js';
import { logsPane, type LogsPane } from './logs/pane.js';
import { PushedModel } from './model.js';
import { environmentPane } from './panes/environment.js';
import { type FilesPane, filesPane } from './panes/files.js';
import { overviewPane } from './panes/overview.js';
import { sourcePane, type SourcePane } from './panes/source.js';
import { boardPane } from './panes/tensorboard.js';
import { Disposables, element } from './parts/dom.js';
import { keepFromNotebook } from './parts/keys.js';
import { Tabs, type TabSpec } from './tabs.js';
import { plain } from './text/sanitize.js';
import { translator } from './text/translation.js';
import type { Context, Host, JobSource, Push, SavedJob, SourceStatus } from './tokens.js';

const FRESH = 10; // seconds for which the end of a job is news

export interface JobViewOptions {
  readonly host: Host;
  /** What a saved notebook has, shown until the job itself answers. */
  readonly saved?: SavedJob | null;
}

/** Draw the job of `source` in `element` until the returned function is called; the source stays the caller's. */
export function mountJobView(parent: HTMLElement, source: JobSource, options: JobViewOptions): () => void {
  const view = new JobView(source, options);
  parent.append(view.element);
  return () => {
    view.dispose();
    view.element.remove();
  };
}

class JobView {
  readonly element = element('section', { class: 'pj-JobView' });
  readonly #source: JobSource;
  readonly #model = new PushedModel();
  readonly #spoken = element('div', { class: 'pj-JobView-spoken', role: 'status' });
  readonly #context: Context;
  readonly #header: Header;
  readonly #rerun: Rerun;
  readonly #actions: Actions;
  readonly #notes: Notes;
  readonly #failure: FailureBox;
  readonly #replicas: Replicas;
  readonly #saved: HTMLElement;
  readonly #waiting = element('div', { class: 'pj-JobView-panels pj-JobView-waiting' });
  readonly #tabs: Tabs;
  readonly #lasting = new Disposables();
  #logsPane: LogsPane | null = null;
  #sourcePane: SourcePane | null = null;
  #filesPane: FilesPane | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(source: JobSource, options: JobViewOptions) {
    this.#source = source;
    const { host, saved = null } = options;
    const say = translator(host.language);
    this.#context = {
      source,
      host,
      say,
      model: this.#model,
      openLine: line => this.#openLine(line),
      openLog: (text, replica) => this.#openLog(text, replica),
      openOutput: channel => this.#openOutput(channel),
      announce: text => this.#announce(text)
    };
    this.#header = new Header(say);
    this.#rerun = new Rerun(this.#context);
    this.#actions = new Actions(this.#context, this.#rerun);
    this.#notes = new Notes(say);
    this.#failure = new FailureBox(this.#context, () => void this.#rerun.start());
    this.#replicas = new Replicas(say, replica => this.#openReplica(replica));
    this.#saved = savedFacts(saved, say);
    this.#tabs = new Tabs(this.#tabSpecs(), say('Parts of the job'), uniquePrefix(), source.job);
    this.#build(saved);
    this.#connect();
  }

  dispose(): void {
    this.#lasting.dispose();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tabs.dispose();
    this.#actions.dispose();
    this.#rerun.dispose();
  }

  #build(saved: SavedJob | null): void {
    if (saved) {
      this.#header.drawSaved(saved);
    }
    this.#header.actions.append(this.#actions.element);
    this.#tabs.element.hidden = true;
    this.#label(plain(saved?.name) || this.#source.job);
    const parts = [this.#header, this.#rerun, this.#notes, this.#failure, this.#replicas].map(part => part.element);
    this.element.append(...parts, this.#saved, this.#waiting, this.#tabs.element, this.#spoken);
  }

  #connect(): void {
    this.#lasting.add(
      this.#source.listen({
        push: (push, buffers) => this.#take(push, buffers),
        status: (status, message) => this.#drawConnection(status, message)
      })
    );
    this.#drawConnection(this.#source.status, '');
    this.#lasting.listen(document, 'visibilitychange', () => this.#tick());
    this.#lasting.listen(this.element, 'keydown', keepFromNotebook);
  }

  #tabSpecs(): TabSpec[] {
    const context = this.#context;
    const say = context.say;
    return [
      { key: 'overview', label: say('Overview'), make: () => overviewPane(context) },
      { key: 'logs', label: say('Logs'), isFirst: true, make: () => (this.#logsPane = logsPane(context)) },
      { key: 'metrics', label: say('Metrics'), isTall: true, make: () => metricsPane(context) },
      { key: 'resources', label: say('Resources'), isTall: true, make: () => resourcesPane(context) },
      { key: 'board', label: 'TensorBoard', isTall: true, make: () => boardPane(context) },
      { key: 'files', label: say('Files'), make: () => (this.#filesPane = filesPane(context)) },
      { key: 'source', label: say('Source'), make: () => (this.#sourcePane = sourcePane(context)) },
      { key: 'environment', label: say('Environment'), make: () => environmentPane(context) }
    ];
  }

  #take(push: Push, buffers: ArrayBuffer[]): void {
    const isFirst = this.#model.job === null;
    const before = this.#model.state.status;
    this.#model.push(push);
    if (this.#model.job === null) {
      return; // nothing can be said of a job before its snapshot
    }
    this.#draw();
    if (isFirst) {
      this.#begin();
    } else if (before !== this.#model.state.status) {
      this.#announceStatus();
    }
    this.#tabs.update(push, buffers);
  }

  /** The first snapshot has come: the job itself takes the place of what was saved. */
  #begin(): void {
    this.#label(plain(this.#model.job?.name, 100));
    this.#saved.hidden = true;
    this.#waiting.hidden = true;
    this.#tabs.element.hidden = false;
    this.#tabs.begin();
    const end = ended(this.#model.state);
    if (end !== null && this.#model.now() - end < FRESH) {
      this.#announceStatus(); // it took no longer than the view took to come
    }
  }

  #draw(): void {
    const { state, failure } = this.#model;
    this.#header.draw(this.#model);
    this.#actions.draw();
    this.#notes.drawState(failure ? { ...state, reason: '' } : state); // the cause says it better
    this.#failure.draw(failure);
    if (this.#model.job) {
      this.#replicas.draw(this.#model.job, state);
    }
    this.#tick();
  }

  /** One timer, only while there is a time that runs and somebody who can see it. */
  #tick(): void {
    const runs = this.#model.job !== null && !isTerminal(this.#model.state.status) && !document.hidden;
    if (runs && this.#timer === undefined) {
      this.#header.draw(this.#model);
      this.#timer = setInterval(() => this.#header.draw(this.#model), 1_000);
    } else if (!runs) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #drawConnection(status: SourceStatus, message: string): void {
    const text = this.#notes.drawConnection(status, message);
    if (status === 'busy' || status === 'offline') {
      this.#announce(text);
    }
    if (this.#model.job === null) {
      this.#waiting.hidden = status === 'offline'; // no empty space for what will not come
    }
    this.#actions.draw();
  }

  #openLine(line: number): void {
    const isOfCell = this.#model.job?.entry_point !== '';
    if (isOfCell && line > 0 && this.#context.host.openCellLine) {
      this.#context.host.openCellLine(line);
    } else {
      this.#tabs.choose('source');
      this.#sourcePane?.highlight(line);
    }
  }

  #openLog(text: string, replica: number): void {
    this.#tabs.choose('logs');
    this.#logsPane?.find(text, replica);
  }

  #openOutput(channel: string): void {
    this.#tabs.choose('files');
    this.#filesPane?.open(channel);
  }

  #openReplica(replica: string): void {
    this.#tabs.choose('logs');
    this.#logsPane?.look(replica);
  }

  #announceStatus(): void {
    const { job, state, failure } = this.#model;
    const { say } = this.#context;
    const cause = failure ? plain(failure.cause) : '';
    const values = { job: plain(job?.name, 100), state: statusWord(readStatus(state.status), say), cause };
    this.#announce(say(cause ? '{job}: {state}. {cause}' : '{job}: {state}', values));
  }

  #announce(text: string): void {
    this.#spoken.textContent = text;
  }

  #label(name: string): void {
    this.element.setAttribute('aria-label', this.#context.say('Training job {name}', { name }));
  }
}

/** One page may hold many views, and more than one copy of this code. */
function uniquePrefix(): string {
  return `pj-${Math.random().toString(36).slice(2, 10)}`;
}
