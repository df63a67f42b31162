/** A report of chosen jobs: where it is to be is asked in a dialog; it is then shown. Loaded when one is wanted. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';

import { askReport } from '../panel/report.js';
import type { Rest } from '../panel/rest.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { shownFolder } from './filebrowser.js';
import { openForm } from './formdialog.js';

const SHOWN = 8_000; // milliseconds that the notification stays
const VIEWER = 'HTML Viewer'; // JupyterLab's, which runs no script of the page

type App = Pick<JupyterFrontEnd, 'commands' | 'docRegistry' | 'shell'>;

export async function writeReport(
  { commands, docRegistry, shell }: App,
  ids: readonly string[],
  { say, rest }: { readonly say: Say; readonly rest: Pick<Rest, 'post'> }
): Promise<void> {
  const path = await askReport(ids, { say, rest, openForm, folder: shownFolder(shell) });
  if (path !== null) {
    Notification.success(say('Report written: {path}', { path: plain(path, 300) }), { autoClose: SHOWN });
    const factory = path.endsWith('.html') && docRegistry.getWidgetFactory(VIEWER) ? { factory: VIEWER } : {};
    await commands.execute('docmanager:open', { path, ...factory });
  }
}
