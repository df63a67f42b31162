/**
 * Forms of `%%pai_train` in the output of cells: when the kernel that drew one is gone, it says so.
 *
 * A form is made of plain ipywidgets, so nobody hears its Submit any more. What it has to say stands in it, hidden, and
 * a style shows it (pai_jupyter/form/appearance.py). ipywidgets marks its widgets when a kernel is restarted, but not
 * when one dies, is shut down, or another one takes its place.
 */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import { cellNodes } from './notebook.js';

interface Change {
  readonly oldValue?: { readonly id: string } | null;
  readonly newValue?: { readonly id: string } | null;
}

/** What tells of the kernel of a notebook. */
export interface Session {
  readonly statusChanged: ISignal<unknown, string>;
  readonly kernelChanged: ISignal<unknown, Change>;
}

const LOST: ReadonlySet<string> = new Set(['terminating', 'restarting', 'autorestarting', 'dead']);

export const formsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:forms',
  description: 'Tells the forms of training jobs in a notebook when its kernel is gone.',
  autoStart: true,
  activate: ({ docRegistry }) => {
    docRegistry.addWidgetExtension('Notebook', {
      createNew: (panel, { sessionContext }) => markForms(sessionContext, () => cellNodes(panel))
    });
  }
};

/** Mark the forms in these nodes whenever the kernel that drew them is gone. */
export function markForms(session: Session, nodes: () => readonly HTMLElement[]): IDisposable {
  const mark = (): void => {
    const forms = nodes().flatMap(node => [...node.querySelectorAll('.pj-Form')]);
    forms.forEach(form => form.classList.add('pj-mod-noKernel'));
  };
  const stood = (_: unknown, status: string): void => {
    if (LOST.has(status)) {
      mark();
    }
  };
  const changed = (_: unknown, { oldValue, newValue }: Change): void => {
    if (oldValue && oldValue.id !== newValue?.id) {
      mark();
    }
  };
  session.statusChanged.connect(stood);
  session.kernelChanged.connect(changed);
  return new DisposableDelegate(() => {
    session.statusChanged.disconnect(stood);
    session.kernelChanged.disconnect(changed);
  });
}
