/** The list of jobs as the panel meets it, with behaviour and no network: it holds rows, and tells when they change. */

import type { ActionJob, Actions, ActionName } from '../../src/panel/actions.js';
import type { JobList, Spark } from '../../src/panel/list.js';
import type { JobRow, JobsSelection } from '../../src/panel/protocol.js';
import type { Rest } from '../../src/panel/rest.js';
import type { PanelContext } from '../../src/panel/section.js';
import { panelSay } from '../../src/panel/translation.js';
import type { Language } from '../../src/text/translation.js';
import type { SourceStatus } from '../../src/tokens.js';

/** The time at the jobs' machine, in seconds. */
export const NOW = 100_000;

export function jobRow(id: string, changes: Partial<JobRow> = {}): JobRow {
  return {
    id,
    name: `iris-${id}`,
    backend: 'docker',
    place: 'docker (an image is given)',
    status: 'succeeded',
    notebook: 'work/iris.ipynb',
    created: NOW - 600,
    started: NOW - 590,
    ended: NOW - 300,
    progress: null,
    metric: null,
    is_here: true,
    url: '',
    trouble: '',
    ...changes
  };
}

export function running(id: string, changes: Partial<JobRow> = {}): JobRow {
  return jobRow(id, { status: 'running', ended: null, ...changes });
}

/** Jobs "0", "1", ..., the newest first. */
export function jobRows(count: number, changes: Partial<JobRow> = {}): JobRow[] {
  return Array.from({ length: count }, (_, at) => jobRow(String(at), { created: NOW - 600 - at, ...changes }));
}

/** A list, and a server with a search of its own: a text fits that is in the name, and the newest come first. */
export class FakeList implements JobList {
  rows: ReadonlyMap<string, JobRow> = new Map();
  isWhole = true;
  status: SourceStatus = 'live';
  message = '';
  notes: readonly string[] = [];
  problem = '';
  courses: ReadonlyMap<string, Spark> = new Map();
  selection: JobsSelection = {};
  ahead = 0; // seconds that have passed at the jobs' machine
  /** The ids whose courses were asked for, question by question. */
  readonly asked: (readonly string[])[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(...rows: JobRow[]) {
    this.set(...rows);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  now(): number {
    return NOW + this.ahead;
  }

  get shown(): readonly JobRow[] {
    const { text = '', status = '', backend = '', notebook = '' } = this.selection;
    const fits = (row: JobRow): boolean =>
      row.name.toLowerCase().includes(text.toLowerCase()) &&
      (!status || status.split(',').includes(row.status)) &&
      (!backend || row.backend === backend) &&
      (!notebook || row.notebook === notebook);
    return [...this.rows.values()].filter(fits).sort((one, other) => other.created - one.created);
  }

  select(selection: JobsSelection): void {
    this.selection = selection;
    void Promise.resolve().then(() => this.tell());
  }

  listen(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  async sparks(ids: readonly string[]): Promise<ReadonlyMap<string, Spark>> {
    this.asked.push(ids);
    return this.courses;
  }

  set(...rows: JobRow[]): void {
    this.rows = new Map(rows.map(row => [row.id, row]));
    this.tell();
  }

  /** These have changed, or are new. */
  change(...rows: JobRow[]): void {
    this.set(...new Map([...this.rows.values(), ...rows].map(row => [row.id, row])).values());
  }

  tell(): void {
    [...this.#listeners].forEach(listener => listener());
  }
}

/** What was done, and what is to be refused. */
export class FakeActions implements Actions {
  readonly done: [ActionName, unknown][] = [];
  refusal = '';

  open = ({ id }: ActionJob): Promise<void> => this.#do('open', id);
  openPage = (id: string): Promise<void> => this.#do('openPage', id);
  goToCell = ({ id }: ActionJob): Promise<void> => this.#do('goToCell', id);
  insertAttach = (id: string): Promise<void> => this.#do('insertAttach', id);
  stop = (ids: readonly string[]): Promise<void> => this.#do('stop', ids);
  rerunForm = (id: string): Promise<void> => this.#do('rerunForm', id);
  rerun = (ids: readonly string[]): Promise<void> => this.#do('rerun', ids);
  clone = (id: string): Promise<void> => this.#do('clone', id);
  star = (jobs: readonly ActionJob[]): Promise<void> => this.#do('star', idsOf(jobs));
  annotate = (jobs: readonly ActionJob[]): Promise<void> => this.#do('annotate', idsOf(jobs));
  compare = (ids: readonly string[]): Promise<void> => this.#do('compare', ids);
  board = (ids: readonly string[]): Promise<void> => this.#do('board', ids);
  report = (ids: readonly string[]): Promise<void> => this.#do('report', ids);
  remove = (ids: readonly string[]): Promise<void> => this.#do('remove', ids);
  adopt = (id: string): Promise<void> => this.#do('adopt', id);

  async #do(name: ActionName, about: unknown): Promise<void> {
    await Promise.resolve();
    if (this.refusal) {
      throw new Error(this.refusal);
    }
    this.done.push([name, about]);
  }
}

function idsOf(jobs: readonly ActionJob[]): string[] {
  return jobs.map(({ id }) => id);
}

export interface FakePanel extends PanelContext {
  readonly list: FakeList;
  readonly act: FakeActions;
  readonly spoken: string[];
}

export function fakePanel(list: FakeList, language: Language = 'en'): FakePanel {
  const spoken: string[] = [];
  return {
    say: panelSay(language),
    language,
    list,
    act: new FakeActions(),
    rest: {} as Rest,
    spoken,
    announce: text => spoken.push(text)
  };
}
