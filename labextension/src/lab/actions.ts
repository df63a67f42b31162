/** What is done to jobs in JupyterLab: by the server where a job is changed, by the application where it is shown. */

import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { Actions } from '../panel/actions.js';
import type { OpenForm } from '../panel/openform.js';
import type { CellAnswer } from '../panel/protocol.js';
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
  const list = jobs.list();
  const adopt = (id: string): Promise<unknown> => rest.post(`${address(id)}/adopt`);
  const cellOf = (id: string): Promise<CellAnswer> => rest.get(`${address(id)}/cell`);
  return {
    open: async id => {
      if (list.rows.get(id)?.is_here === false) {
        await adopt(id);
      }
      await openTab(id);
    },
    openPage: async id => jobs.openPage(id),
    goToCell: async id => {
      const row = list.rows.get(id);
      if (row) {
        await goToCell(notebookHost(app, say()), row, async () => (await cellOf(id)).cell);
      }
    },
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
    rerun: async id => {
      const { job } = await rest.post<{ job: string }>(`${address(id)}/rerun`);
      await openTab(job);
    },
    clone: async id => insertCell(notebookHost(app, say()), (await cellOf(id)).as_run),
    compare: ids => openComparison(app, ids),
    board: async ids => {
      await rest.post('tensorboards', { jobs: ids });
      await showBoards();
    },
    star: ids => {
      const is_starred = !ids.every(id => list.rows.get(id)?.is_starred);
      return all(ids, id => rest.patch(`${address(id)}/annotations`, { is_starred }));
    },
    annotate: async ids => {
      const [{ editAnnotations }, { openForm }] = await Promise.all([
        import('../panel/annotations.js'),
        import('./formdialog.js')
      ]);
      await editAnnotations(ids, { say: say(), rest, list, openForm });
    },
    remove: ids => all(ids, id => rest.remove(address(id))),
    adopt: async id => void (await adopt(id))
  };
}

function address(id: string): string {
  return `jobs/${encodeURIComponent(id)}`;
}

/** Do it to all, whatever becomes of one; then say what became of the first that failed. */
async function all(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(ids.map(act));
  const failed = results.find(result => result.status === 'rejected');
  if (failed) {
    throw failed.reason instanceof Error ? failed.reason : new RequestError(String(failed.reason), 'InternalError');
  }
}
