/**
 * The notebooks of the page: the cell that a view or a job belongs to, and new cells.
 *
 * The interfaces have the few members of JupyterLab's notebook that are used; whatever lacks one is passed over.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';

import { type Above, withoutOuterMagics } from '../cell/magicline.js';
import type { JobRow } from '../panel/protocol.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import { JOB_MIME } from './payload.js';

interface Position {
  line: number;
  column: number;
}

interface Editor {
  setCursorPosition(position: Position): void;
  revealPosition(position: Position): void;
  focus(): void;
}

interface Outputs {
  readonly length: number;
  get(index: number): { readonly data: Readonly<Record<string, unknown>> };
}

export interface Cell {
  readonly node: HTMLElement;
  readonly editor: Editor | null;
  readonly model: {
    readonly type: string;
    readonly sharedModel: { getSource(): string; setSource(source: string): void };
    readonly outputs?: Outputs;
    readonly executionCount?: number | null;
  };
  inputHidden: boolean;
  readonly readOnly?: boolean; // the author of the notebook has said that it may not be edited
  readonly isDisposed?: boolean; // it has been deleted, or its notebook closed
}

interface Model {
  readonly sharedModel: { insertCell(index: number, cell: object): unknown };
  readonly defaultKernelLanguage?: string; // '' where no kernel has said it yet
  readonly readOnly?: boolean; // the file cannot be written
}

interface Content {
  readonly widgets: Partial<Cell>[];
  activeCellIndex?: number;
  readonly model?: Model | null;
  deselectAll?(): void;
  scrollToItem?(index: number): Promise<void>;
}

interface Panel {
  readonly id: string;
  readonly content: Content;
  readonly context?: { readonly path: string; readonly ready: Promise<void> };
}

/** What holds the notebooks: the application's shell. */
export interface Shell {
  readonly currentWidget?: object | null;
  widgets(area?: string): Iterable<object>;
  activateById?(id: string): void;
}

/** What can be done with notebooks here. */
export interface NotebookHost {
  readonly shell: Shell;
  readonly say: Say;
  /** Open the file at this path below the server's root; null where none lies there. */
  open(path: string): Promise<unknown>;
  /** Run the cells that are chosen in the notebook that is active. */
  run(): Promise<unknown>;
}

const PATIENCE = 2_000; // milliseconds for a tab to come to the front
const TURN = 20;
const MOST_ABOVE = 5_000; // cells that the server reads
const LONGEST = 200_000; // characters of one of them

export function notebookHost({ shell, commands, serviceManager }: JupyterFrontEnd, say: Say): NotebookHost {
  const isThere = (path: string): Promise<boolean> =>
    serviceManager.contents.get(path, { content: false }).then(
      () => true,
      () => false
    );
  return {
    shell,
    say,
    open: async path => ((await isThere(path)) ? commands.execute('docmanager:open', { path }) : null),
    run: () => commands.execute('notebook:run-cell')
  };
}

/** Put the cursor on `line` (from 1) of the cell whose output holds `node`; nothing happens where it has none. */
export function openCellLine(shell: Shell, node: HTMLElement, line: number): void {
  for (const { content } of panels(shell)) {
    openLine(content, node, { line: line - 1, column: 0 });
  }
}

function openLine(content: Content, node: HTMLElement, position: Position): void {
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

/** A job, and where it was started. */
type CellJob = Pick<JobRow, 'id' | 'notebook'>;

/**
 * Go to the cell whose output shows the job, else to one that has its code; `code` gives that, where it is needed. The
 * notebook is opened where it lies in the server's root.
 *
 * Rejects with a sentence where there is no such cell.
 */
export async function goToCell(desk: NotebookHost, row: CellJob, code: () => Promise<string>): Promise<void> {
  const { shell, say } = desk;
  if (row.notebook === null) {
    throw refusal(say('This job was not started in a notebook.'));
  }
  const name = plain(row.notebook, 200);
  const shown = panels(shell).find(panel => showing(panel, row.id) >= 0);
  const panel = shown ?? panels(shell).find(({ context }) => isAt(context?.path, row)) ?? (await opened(desk, row));
  if (!panel) {
    throw refusal(say("{name} is outside the server's root folder. Open it, then try again.", { name }));
  }
  await panel.context?.ready;
  const at = showing(panel, row.id);
  const index = at >= 0 ? at : having(panel, await code());
  shell.activateById?.(panel.id);
  if (index < 0) {
    throw refusal(say('No cell of {name} contains this job any more.', { name }));
  }
  panel.content.activeCellIndex = index;
  await panel.content.scrollToItem?.(index);
}

async function opened(desk: NotebookHost, { notebook }: CellJob): Promise<Panel | null> {
  const widget = await desk.open(notebook ?? '');
  return isPanel(widget) ? widget : null;
}

/** A job remembers the name of its notebook, and where it can, the path. */
function isAt(path: string | undefined, { notebook }: CellJob): boolean {
  return path !== undefined && notebook !== null && `/${path}`.endsWith(`/${notebook}`);
}

/** The index of the cell whose output shows this job, or -1. */
function showing({ content }: Panel, job: string): number {
  return content.widgets.findIndex(({ model }) => bundles(model?.outputs).some(bundle => idOf(bundle) === job));
}

function bundles(outputs: Outputs | undefined): unknown[] {
  return Array.from({ length: outputs?.length ?? 0 }, (_, at) => outputs?.get(at).data?.[JOB_MIME]);
}

function idOf(bundle: unknown): unknown {
  return typeof bundle === 'object' && bundle !== null && 'id' in bundle ? bundle.id : null;
}

function having({ content }: Panel, code: string): number {
  const wanted = code.trim();
  const isIt = ({ model }: Partial<Cell>): boolean =>
    model !== undefined && model !== null && withoutOuterMagics(model.sharedModel.getSource()).trim() === wanted;
  return wanted === '' ? -1 : content.widgets.findIndex(isIt);
}

/**
 * Insert a cell with this text below the active one of the notebook that is in front, else of one that is open; it
 * becomes the active one, and is run where that is wanted. Rejects with a sentence where no notebook of Python is open.
 */
export async function insertCell(desk: NotebookHost, text: string, run = false): Promise<void> {
  const { shell, say } = desk;
  const panel = [front(shell), ...panels(shell)].find(each => each?.content.model && !foreign(each));
  if (!panel?.content.model) {
    throw refusal(say('No Python notebook is open. Open one, then try again.'));
  }
  await activated(desk, panel);
  const { content } = panel;
  const index = Math.min((content.activeCellIndex ?? -1) + 1, content.widgets.length);
  const source = text.replace(/\n$/, ''); // with which IPython ends every cell
  const cell = { cell_type: 'code', source, metadata: { trusted: true } };
  panel.content.model.sharedModel.insertCell(index, cell);
  content.activeCellIndex = index;
  content.deselectAll?.();
  await content.scrollToItem?.(index);
  if (run) {
    await desk.run();
  }
}

/** The tab comes to the front in a later turn; until then a command would mean another notebook. */
async function activated({ shell, say }: NotebookHost, panel: Panel): Promise<void> {
  const end = performance.now() + PATIENCE;
  shell.activateById?.(panel.id);
  while (shell.currentWidget !== panel) {
    if (performance.now() > end) {
      throw refusal(say('Could not switch to the notebook. Click on it, then try again.'));
    }
    await new Promise(resolve => setTimeout(resolve, TURN));
  }
}

/** The code cells above this one in its notebook: their text, and the number in front of each. */
export function codeAbove(shell: Shell, cell: Cell): Above {
  const widgets = panels(shell).find(({ content }) => content.widgets.includes(cell))?.content.widgets ?? [];
  const models = widgets.slice(0, widgets.indexOf(cell)).map(({ model }) => model);
  const codes = models.filter(model => model?.type === 'code').slice(-MOST_ABOVE);
  return {
    above: codes.map(model => model?.sharedModel.getSource() ?? '').map(code => (code.length > LONGEST ? '' : code)),
    numbers: codes.map(model => model?.executionCount ?? 0)
  };
}

/** The cells of a notebook, as far as they have been drawn, in the page or not. */
export function cellNodes(notebook: unknown): HTMLElement[] {
  const cells = isPanel(notebook) ? notebook.content.widgets : [];
  return cells.flatMap(({ node }) => node ?? []);
}

/** Whether a notebook is in front. */
export function hasNotebook(shell: Shell): boolean {
  return front(shell) !== null;
}

/** The active cell of the notebook in front, where it is one of code. */
export function activeCodeCell(shell: Shell): Cell | null {
  const content = front(shell)?.content;
  const cell = content?.widgets[content.activeCellIndex ?? -1];
  return isCell(cell) && cell.model.type === 'code' ? cell : null;
}

/** The path of the notebook in front below the server's root; undefined where it has none there. */
export function notebookPath(shell: Shell): string | undefined {
  return front(shell)?.context?.path.replace(/^RTC:/, ''); // jupyter-collaboration's name for the same files
}

/** Make the cell at this element, of the notebook in front, the active one. */
export function activateCell(shell: Shell, node: HTMLElement): void {
  const content = front(shell)?.content;
  const index = content?.widgets.findIndex(cell => cell.node === node) ?? -1;
  if (content && index >= 0) {
    content.activeCellIndex = index;
  }
}

/** Run this cell of the notebook in front, and no other. */
export async function runCell(desk: NotebookHost, cell: Cell): Promise<void> {
  const content = front(desk.shell)?.content;
  const index = content?.widgets.indexOf(cell) ?? -1;
  if (content && index >= 0) {
    content.activeCellIndex = index;
    content.deselectAll?.();
    await desk.run();
  }
}

/** The language of the notebook in front where it is not Python, else ''. */
export function foreignLanguage(shell: Shell): string {
  return foreign(front(shell));
}

function foreign(panel: Panel | null): string {
  const language = panel?.content.model?.defaultKernelLanguage ?? '';
  return /^i?python\d*$/i.test(language) ? '' : language;
}

/** Whether the file of the notebook in front cannot be written. */
export function isReadOnly(shell: Shell): boolean {
  return front(shell)?.content.model?.readOnly === true;
}

function front({ currentWidget }: Shell): Panel | null {
  return isPanel(currentWidget) && currentWidget.content.model ? currentWidget : null;
}

function panels(shell: Shell): Panel[] {
  return [...shell.widgets('main')].filter(isPanel);
}

function isPanel(widget: unknown): widget is Panel {
  const content = typeof widget === 'object' && widget && 'content' in widget ? widget.content : null;
  return typeof content === 'object' && content !== null && 'widgets' in content && Array.isArray(content.widgets);
}

/** Whether a cell is one, and not disposed: then its model is null. */
function isCell(cell: Partial<Cell> | undefined): cell is Cell {
  return (cell?.model ?? null) !== null;
}

function refusal(sentence: string): RequestError {
  return new RequestError(sentence, 'NotFoundError');
}
