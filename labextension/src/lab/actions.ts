/** What is done to jobs in JupyterLab: by the server where a job is changed, by the application where it is shown. */

import type { JupyterFrontEnd } from '@jupyterlab/application';

import { type ActionJob, type Actions, givesStar } from '../panel/actions.js';
import type { OpenForm } from '../panel/openform.js';
import type { CellAnswer, JobsAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import type { Say } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import { openComparison } from './compare.js';
import type { IJobs } from './jobs.js';
import { notebookHost, goToCell, insertCell } from './notebook.js';

export interface ActionHost {
  say(): Say;
  openTab(id: string): Promise<unknown>;
  /** Bring up the section of boards. */
  showBoards(): Promise<void>;
}

export function labActions(app: JupyterFrontEnd, jobs: IJobs, { say, openTab, showBoards }: ActionHost): Actions {
  const { rest } = jobs;
  const jobList = jobs.list();
  const adopt = (id: string): Promise<unknown> => rest.post(`${address(id)}/adopt`);
  const cellOf = (id: string): Promise<CellAnswer> => rest.get(`${address(id)}/cell`);
  return {
    open: async ({ id, is_here: isHere }) => {
      if (isHere === false) {
        await adopt(id);
      }
      await openTab(id);
    },
    openPage: async id => jobs.openPage(id),
    goToCell: ({ id, notebook = null }) =>
      goToCell(notebookHost(app, say()), { id, notebook }, async () => (await cellOf(id)).cell),
    insertAttach: id => insertCell(notebookHost(app, say()), `%pai_attach ${id}`, true),
    stop: ids => all(ids, id => rest.post(`${address(id)}/stop`)),
    rerunForm: async id => {
      const { openRerun } = await import('../cell/rerun.js'); // late: most pages never open one
      const openForm: OpenForm = async (...form) => (await import('./formdialog.js')).openForm(...form);
      const started = await openRerun(id, { say: say(), rest, openForm });
      if (started) {
        await openTab(started.job);
      }
    },
    rerun: async ids => {
      const started: string[] = [];
      await inTurn(ids, async id => void started.push((await rest.post<{ job: string }>(`${address(id)}/rerun`)).job));
      if (ids.length === 1 && started[0] !== undefined) {
        await openTab(started[0]);
      }
    },
    clone: async id => insertCell(notebookHost(app, say()), (await cellOf(id)).as_run),
    compare: ids => openComparison(app, ids),
    board: async ids => {
      await rest.post('tensorboards', { jobs: ids });
      await showBoards();
    },
    star: jobs => {
      const is_starred = givesStar(jobs);
      const ids = jobs.map(job => job.id);
      return all(ids, id => rest.patch(`${address(id)}/annotations`, { is_starred }));
    },
    annotate: async jobs => {
      const [{ editAnnotations }, { openForm }] = await Promise.all([
        import('../panel/annotations.js'),
        import('./formdialog.js')
      ]);
      await editAnnotations(jobs, { say: say(), rest, list: jobList, openForm });
    },
    report: async ids => {
      const { writeReport } = await import('./report.js');
      await writeReport(app, ids, { say: say(), rest });
    },
    remove: ids => all(ids, id => rest.remove(address(id))),
    adopt: async id => void (await adopt(id))
  };
}

/** The rows of these jobs as the server has them now; of one that it does not list, the id. */
export async function rowsOf(rest: Pick<Rest, 'get'>, ids: readonly string[]): Promise<readonly ActionJob[]> {
  const { rows } = await rest.get<JobsAnswer>('jobs', { text: `id:${ids.join(',')}`, limit: String(ids.length) });
  const known = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => known.get(id) ?? { id });
}

function address(id: string): string {
  return `jobs/${encodeURIComponent(id)}`;
}

/** Do it to one after the other, which is their order in a queue, as `all` does. */
async function inTurn(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  await all(ids, id => {
    const done = before.then(() => act(id));
    before = done.catch(() => undefined);
    return done;
  });
}

/** Do it to all, whatever becomes of one; then say what became of the first that failed. */
async function all(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(ids.map(act));
  const failed = results.find(result => result.status === 'rejected');
  if (failed) {
    throw failed.reason instanceof Error ? failed.reason : new RequestError(String(failed.reason), 'InternalError');
  }
}
