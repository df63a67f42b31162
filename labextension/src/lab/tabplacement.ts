/** Where a tab of ours has its place: in the main area, or below or beside it where that has room for one document. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { TabPanel, type Widget } from '@lumino/widgets';

const OTHERS = ['down', 'right'];

/** What there is to add a tab to; `restored` resolves once the layout of the last time is back. */
export interface TabHost {
  readonly restored: Promise<unknown>;
  readonly shell: Pick<JupyterFrontEnd.IShell, 'add' | 'activateById'>;
}

/** Add the tab, in front. Notebook passes over a second document in silence; the first 7.0 had nothing below it. */
export async function addTab(area: TabHost, tab: Widget): Promise<void> {
  area.shell.add(tab, 'main', { type: 'Training Jobs' });
  activateTab(area, tab);
  await area.restored; // until then, JupyterLab only remembers what is to be added
  for (const other of OTHERS) {
    if (!tab.isAttached && !tab.isDisposed) {
      tab.toggleClass('pj-mod-below', other === 'down'); // with a height of its own: that area has none
      area.shell.add(tab, other);
      activateTab(area, tab);
    }
  }
}

/** Bring the tab to the front of where it is. Of those below, Notebook 7 knows none by its id. */
export function activateTab({ shell }: TabHost, tab: Widget): void {
  shell.activateById(tab.id);
  const panel = tab.parent?.parent;
  if (panel instanceof TabPanel) {
    panel.currentWidget = tab;
  }
}
