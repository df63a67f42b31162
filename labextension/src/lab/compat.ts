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

/** Allow or forbid accepting the dialog around `body`: in JupyterLab 4.0 it does not heed an error in its body. */
export function accepting(body: Element): (isAllowed: boolean) => void {
  const keep = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && event.target instanceof Node && body.contains(event.target)) {
      event.stopPropagation(); // on its way down to the dialog
    }
  };
  return isAllowed => {
    const buttons = body.closest('.jp-Dialog')?.querySelectorAll<HTMLButtonElement>('button.jp-mod-accept') ?? [];
    buttons.forEach(button => void (button.disabled = !isAllowed));
    document.removeEventListener('keydown', keep, true);
    if (!isAllowed) {
      document.addEventListener('keydown', keep, true);
    }
  };
}
