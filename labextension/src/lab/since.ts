/**
 * What an application has or not, by its version. The extension is built against the oldest one that is supported, so
 * TypeScript knows nothing newer. Each of these does without where it is missing.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISignal } from '@lumino/signaling';
import type { AccordionPanel } from '@lumino/widgets';

type Emitting<Name extends string> = Readonly<Partial<Record<Name, ISignal<unknown, unknown>>>>;

/** Call `changed` when another document comes to the front. Shells said so before the interface of all of them did. */
export function onCurrentChanged(shell: JupyterFrontEnd.IShell, changed: () => void): void {
  (shell as Emitting<'currentChanged'>).currentChanged?.connect(changed);
}

/** Call `toggled` when somebody has opened or closed a fold. Lumino says so since 2.3, in JupyterLab 4.0.5. */
export function onFoldToggled(panel: AccordionPanel, toggled: () => void): void {
  const { expansionToggled } = panel as Emitting<'expansionToggled'>;
  if (expansionToggled) {
    expansionToggled.connect(toggled);
  } else {
    const later = (): void => void requestAnimationFrame(toggled); // when the panel has heard of it, too
    panel.node.addEventListener('click', later);
    panel.node.addEventListener('keydown', later);
  }
}
