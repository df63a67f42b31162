/**
 * What one can do with jobs out of the panel, and with which jobs it can be done.
 *
 * Rule 1: an action is offered only where it can succeed as far as the rows tell; whether it does is the server's word.
 * Rule 2: all reject with an `Error` whose message is the sentence for the user.
 * Rule 3: what an action has to know of its jobs, their rows say: nobody else may have a list of all jobs just now.
 */

import { isTerminal } from '../events.js';
import type { JobRow } from './protocol.js';

/** A job that an action is about: its row, as far as that is known. */
export type ActionJob = Pick<JobRow, 'id'> & Partial<JobRow>;

/** What the host does; all that ask before they act have been asked about already. */
export interface Actions {
  /** Show the job in a tab of its own. */
  open(job: ActionJob): Promise<void>;
  /** Show the job in a browser tab of its own. */
  openPage(id: string): Promise<void>;
  goToCell(job: ActionJob): Promise<void>;
  /** Insert and run `%pai_attach` below the cell that has the focus. */
  insertAttach(id: string): Promise<void>;
  stop(ids: readonly string[]): Promise<void>;
  /** A form with what the job ran with; the job that it starts is then shown. */
  rerunForm(id: string): Promise<void>;
  /** The same jobs once more; one is then shown. */
  rerun(ids: readonly string[]): Promise<void>;
  /** The job's cell as a new cell, to be changed. */
  clone(id: string): Promise<void>;
  compare(ids: readonly string[]): Promise<void>;
  /** A TensorBoard over all of these. */
  board(ids: readonly string[]): Promise<void>;
  /** Give all of these a star, or take it from them where all have one. */
  star(jobs: readonly ActionJob[]): Promise<void>;
  /** Have name, tags and note of a job edited, or tags of several. */
  annotate(jobs: readonly ActionJob[]): Promise<void>;
  /** Write a report of these as a file, and show it. */
  report(ids: readonly string[]): Promise<void>;
  /** Delete what is recorded here of jobs that have ended. */
  remove(ids: readonly string[]): Promise<void>;
  /** Make a record here of a job that was recorded on another machine. */
  adopt(id: string): Promise<void>;
}

export type ActionName = keyof Actions;

export const MOST_RERUN = 20; // at once: each is a job that takes its turn
export const MOST_REPORTED = 50; // as the server has it
export const MOST_COMPARED = 8; // curves in one chart that an eye can tell apart

const ONE: ReadonlySet<ActionName> = new Set(['openPage', 'goToCell', 'insertAttach', 'rerunForm', 'clone', 'adopt']);

/** The actions that all these jobs, chosen together, allow; in the order of a menu. */
export function offered(rows: readonly JobRow[]): ActionName[] {
  const [first] = rows;
  if (!first) {
    return [];
  }
  const isHere = rows.every(row => row.is_here);
  const fits: Readonly<Record<ActionName, boolean>> = {
    open: true,
    stop: isHere && rows.some(row => !isTerminal(row.status)),
    rerunForm: isHere,
    rerun: isHere && rows.length <= MOST_RERUN,
    clone: isHere,
    goToCell: first.notebook !== null,
    insertAttach: isHere,
    openPage: isHere,
    compare: isHere && rows.length >= 2 && rows.length <= MOST_COMPARED,
    board: isHere,
    star: isHere,
    annotate: isHere,
    report: isHere && rows.length <= MOST_REPORTED,
    adopt: !isHere,
    remove: isHere && rows.every(row => isTerminal(row.status))
  };
  const names = Object.keys(fits) as ActionName[]; // of a record that has exactly these
  return names.filter(name => fits[name] && (rows.length === 1 || !ONE.has(name)));
}

/** Whether a star is given to these jobs; else all have one, and it is taken from them. */
export function givesStar(jobs: readonly ActionJob[]): boolean {
  return !jobs.every(job => job.is_starred);
}

/** Do it with these jobs, together where it is done to all at once, else with one after the other. */
export async function perform(act: Actions, name: ActionName, jobs: readonly ActionJob[]): Promise<void> {
  switch (name) {
    case 'star':
    case 'annotate':
      return act[name](jobs);
    case 'stop':
    case 'compare':
    case 'board':
    case 'report':
    case 'rerun':
    case 'remove':
      return act[name](jobs.map(job => job.id));
    case 'open':
    case 'goToCell':
      for (const job of jobs) {
        await act[name](job);
      }
      return;
    default:
      for (const { id } of jobs) {
        await act[name](id);
      }
  }
}
