/**
 * The category of our commands in the palette. Its name is fixed when a command is added, and the language of the user
 * may be known only later, when the server has answered. In the launcher they are among JupyterLab's others.
 */

import type { ICommandPalette } from '@jupyterlab/apputils';
import type { ILauncher } from '@jupyterlab/launcher';
import type { IDisposable } from '@lumino/disposable';

import type { Say } from '../tokens.js';

/** Return what adds `commands` to the palette, and does so again when the language has changed. */
export function paletteUpdater(
  palette: Pick<ICommandPalette, 'addItem'>,
  commands: readonly string[],
  say: () => Say
): () => void {
  let listed: IDisposable[] = [];
  let known = '';
  return () => {
    const category = say()('Training jobs');
    if (category !== known) {
      known = category;
      listed.forEach(item => item.dispose());
      listed = commands.map(command => palette.addItem({ command, category }));
    }
  };
}

/** Without a category it is one of "Other", which JupyterLab alone translates. */
export function addToLauncher(launcher: Pick<ILauncher, 'add'>, command: string): void {
  launcher.add({ command });
}
