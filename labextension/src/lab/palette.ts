/**
 * Where the commands (commands.ts) are found: menus, shortcuts and context menus by the settings, and here the palette
 * and the launcher. A Lab without the panel has none of them.
 */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { Token } from '@lumino/coreutils';

import { addToLauncher, paletteUpdater } from './palettecategory.js';
import { addCommands, CommandIDs, type CommandHost } from './commands.js';

/** The panel, as far as commands need it. */
export interface IPanel extends CommandHost {
  /** Told when labels, or what is enabled, may have changed. */
  changed: () => void;
}

export const IPanel = new Token<IPanel>('pai-jupyter:IPanel', 'The side panel of training jobs, for its commands.');

export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:commands',
  description: 'Commands about training jobs, in the palette and the launcher.',
  autoStart: true,
  requires: [IPanel],
  optional: [ICommandPalette, ILauncher],
  activate: (app, panel: IPanel, palette: ICommandPalette | null, launcher: ILauncher | null): void => {
    const relabel = addCommands(app.commands, panel);
    const list = palette ? paletteUpdater(palette, Object.values(CommandIDs), () => panel.say()) : () => undefined;
    list();
    panel.changed = () => {
      relabel();
      list();
    };
    if (launcher) {
      addToLauncher(launcher, CommandIDs.showPanel);
    }
  }
};
