/** Keys that are pressed in a view of ours, which stands in a notebook. */

/**
 * A notebook in command mode cuts a cell at "x" and moves at an arrow, wherever the focus is; keys that are pressed in
 * the view are meant for the view. Shortcuts with Ctrl, Alt or Command, and Shift+Enter, stay the notebook's, but those
 * that edit or move: Ctrl+Z in a search box must not take back what was typed in a cell. JupyterLab, once it has seen
 * Ctrl itself, lets no field in a notebook undo anything.
 */
export function keepFromNotebook(event: KeyboardEvent): void {
  const isShortcut = event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === 'Enter');
  if (!isShortcut || /^([acvxyzZ]|Backspace|Delete|Arrow.+|Home|End|Control|Meta)$/.test(event.key)) {
    event.stopPropagation();
  }
}
