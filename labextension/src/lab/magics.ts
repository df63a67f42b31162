/**
 * Cells with magics of ours, when they are run: the extension is loaded before them (loader.ts), and the panel looks
 * again after `%pai_config`, which counts for it too.
 *
 * Rule: an application that shares no notebook actions has its cells run as before.
 */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { ITranslator } from '@jupyterlab/translation';

import { panelSay } from '../panel/translation.js';
import { languageOf } from '../text/translation.js';
import { ExtensionLoader } from './loader.js';
import { IPanel } from './palette.js';

const CONFIG = /^[ \t]*%pai_config\b/m;
const SHOWN = 12_000; // milliseconds

export const magicsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:magics',
  description: 'Loads pai_jupyter into a kernel before the first cell that needs it.',
  autoStart: true,
  optional: [ITranslator, IPanel],
  activate: (app, translator: ITranslator | null, panel: IPanel | null): void => {
    const say = panelSay(languageOf(translator?.languageCode));
    const missing = 'This kernel has no pai_jupyter. Run "%pip install pai_jupyter" in a cell, then this one again.';
    const loader = new ExtensionLoader(
      argvOf(app),
      () => void Notification.warning(say(missing), { autoClose: SHOWN })
    );
    void watch(app, loader, () => panel?.refresh());
  }
};

async function watch({ shell }: JupyterFrontEnd, loader: ExtensionLoader, configured: () => void): Promise<void> {
  const actions = await import('@jupyterlab/notebook').then(
    shared => shared.NotebookActions,
    () => null
  );
  actions?.executionScheduled.connect((_, { notebook, cell }) => {
    const kernel = kernelOf(shell, notebook);
    if (kernel) {
      loader.prepare(kernel, sourceOf(cell));
    }
  });
  actions?.executed.connect((_, { cell }) => {
    if (CONFIG.test(sourceOf(cell))) {
      configured();
    }
  });
}

function argvOf({ serviceManager }: JupyterFrontEnd): (kernel: string) => readonly string[] {
  return name => serviceManager.kernelspecs.specs?.kernelspecs[name]?.argv ?? [];
}

interface WithKernel {
  readonly content: object;
  readonly sessionContext: { readonly session: { readonly kernel: Kernel.IKernelConnection | null } | null };
}

/** The kernel of the tab that shows this notebook. */
function kernelOf(shell: JupyterFrontEnd.IShell, notebook: object): Kernel.IKernelConnection | null {
  const panel = [...shell.widgets('main')].find(widget => 'content' in widget && widget.content === notebook);
  return panel && hasKernel(panel) ? (panel.sessionContext.session?.kernel ?? null) : null;
}

function hasKernel(widget: object): widget is WithKernel {
  return 'sessionContext' in widget && typeof widget.sessionContext === 'object' && widget.sessionContext !== null;
}

function sourceOf(cell: object): string {
  const { model } = cell as { model?: { sharedModel?: { getSource?(): string } } };
  return model?.sharedModel?.getSource?.() ?? '';
}
