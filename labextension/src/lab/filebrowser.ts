/**
 * The job files of the page: selected in the file browser, or open in a tab; and the folder that it shows.
 *
 * The interfaces have the few members of JupyterLab's file browser and documents that are used.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';

const SHARED = 'RTC'; // the drive of jupyter-collaboration: the same files
const JOB_FILE = /\.pai\.(json|ya?ml)$/i;

interface Item {
  readonly path: string;
  readonly type: string;
}

interface FileBrowser {
  readonly isVisible: boolean;
  selectedItems(): Iterable<Item>;
  readonly model?: { readonly path: string };
}

interface OpenDocument {
  readonly context: {
    readonly path: string;
    readonly model: { readonly dirty: boolean };
    save(): Promise<void>;
  };
}

type Shell = Pick<JupyterFrontEnd.IShell, 'widgets' | 'currentWidget'>;

/** The job file that is in front, else the selected one. */
export function jobFile(shell: Shell): string | null {
  const path = isDocument(shell.currentWidget) ? shell.currentWidget.context.path : '';
  return JOB_FILE.test(path) ? path : selectedJobFile(shell);
}

/** The job file that is selected in the file browser, alone. */
export function selectedJobFile(shell: Shell): string | null {
  const browser = fileBrowser(shell);
  const [item, other] = browser ? [...browser.selectedItems()] : [];
  return item && !other && item.type !== 'directory' && JOB_FILE.test(item.path) ? item.path : null;
}

/** The folder that the file browser shows, from the server's root; '' is that, and also stands for another drive. */
export function shownFolder(shell: Shell): string {
  const path = fileBrowser(shell)?.model?.path ?? '';
  const [drive, ...rest] = path.split(':');
  return rest.length === 0 ? path : drive === SHARED ? rest.join(':') : '';
}

function fileBrowser(shell: Shell): FileBrowser | undefined {
  const browsers = [...shell.widgets('main'), ...shell.widgets('left')].flatMap(parts).filter(isBrowser);
  return browsers.find(({ isVisible }) => isVisible) ?? browsers[0];
}

/** Save what is open of this file; the document says by itself why it cannot be saved. */
export async function saveChanges(shell: Shell, path: string): Promise<void> {
  for (const widget of shell.widgets('main')) {
    if (isDocument(widget) && widget.context.path === path && widget.context.model.dirty) {
      await widget.context.save();
    }
  }
}

/** A widget, and those that it holds as tabs: Notebook's file browser is one of these. */
function parts(widget: object): object[] {
  return [widget, ...('widgets' in widget && Array.isArray(widget.widgets) ? (widget.widgets as object[]) : [])];
}

function isBrowser(widget: object): widget is FileBrowser {
  return 'selectedItems' in widget && typeof widget.selectedItems === 'function' && 'isVisible' in widget;
}

function isDocument(widget: unknown): widget is OpenDocument {
  const context = typeof widget === 'object' && widget !== null && 'context' in widget ? widget.context : null;
  return typeof context === 'object' && context !== null && 'path' in context && typeof context.path === 'string';
}
