/**
 * The notebook around a view: its cell, found by where the view's element is, and its editor.
 *
 * The interfaces have the few members of JupyterLab's notebook that are used; whatever lacks one is passed over.
 */

interface Position { line: number; column: number }

interface Editor {
  setCursorPosition(position: Position): void;
  revealPosition(position: Position): void;
  focus(): void;
}

interface Cell {
  readonly node: HTMLElement;
  readonly editor: Editor | null;
  inputHidden: boolean;
}

interface Panel {
  readonly content: { readonly widgets: Partial<Cell>[]; activeCellIndex?: number };
}

/** What holds the notebooks: the application's shell. */
export interface Shell {
  widgets(area?: string): Iterable<object>;
}

/** Put the cursor on `line` (from 1) of the cell whose output holds `node`; nothing happens where it has none. */
export function openCellLine(shell: Shell, node: HTMLElement, line: number): void {
  for (const panel of shell.widgets('main')) {
    if (isPanel(panel)) {
      openLine(panel, node, { line: line - 1, column: 0 });
    }
  }
}

function openLine({ content }: Panel, node: HTMLElement, position: Position): void {
  const index = content.widgets.findIndex(cell => cell.node?.contains(node));
  const cell = content.widgets[index];
  if (cell) {
    cell.inputHidden = false;
    content.activeCellIndex = index;
  }
  if (cell?.editor) {
    putCursor(cell.editor, position);
  }
}

function putCursor(editor: Editor, position: Position): void {
  editor.setCursorPosition(position);
  editor.focus();
  editor.revealPosition(position);
}

function isPanel(widget: object): widget is Panel {
  const content = 'content' in widget ? widget.content : null;
  return typeof content === 'object' && content !== null && 'widgets' in content && Array.isArray(content.widgets);
}
