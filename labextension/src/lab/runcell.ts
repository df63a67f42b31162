/**
 * "Run cell as training job": the options of a job, chosen in a dialog, become the first line of the cell.
 *
 * Rule 1: cancelling changes nothing, and what is done is one change of the cell, which undo takes back.
 * Rule 2: the line is put into the cell as it is then, whatever has been typed into it meanwhile elsewhere.
 */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, ICommandPalette, Notification } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { CellForm, FormOptions } from '../cell/form.js';
import { parseLine, withoutOuterMagics, replaceLine } from '../cell/magicline.js';
import { panelSay } from '../panel/translation.js';
import { plain } from '../text/sanitize.js';
import { languageOf } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { paletteUpdater } from './palettecategory.js';
import { panelIcon } from './icon.js';
import { IJobs } from './jobs.js';
import {
  activateCell,
  activeCodeCell,
  type Cell,
  codeAbove,
  type NotebookHost,
  notebookHost,
  notebookPath,
  foreignLanguage,
  hasNotebook,
  isReadOnly,
  runCell,
  type Shell
} from './notebook.js';
import { accepting, onCurrentChanged } from './compat.js';

export const RUN_CELL = 'pai-jupyter:run-cell-as-job';
const RUN_BUTTON = 'pj-CellDialog-run';
const SHOWN = 8_000; // milliseconds

export const cellPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:cell',
  description: 'Runs the code cell of a notebook as a training job.',
  autoStart: true,
  requires: [IJobs],
  optional: [ITranslator, ICommandPalette],
  activate: (app, jobs: IJobs, translator: ITranslator | null, palette: ICommandPalette | null): void => {
    const { commands, shell } = app;
    let say = panelSay(languageOf(translator?.languageCode));
    const list = palette ? paletteUpdater(palette, [RUN_CELL], () => say) : () => undefined;
    list();
    commands.addCommand(RUN_CELL, {
      label: () => say('Run Cell as Training Job…'),
      icon: panelIcon,
      isVisible: ({ isContext }) => isContext === true || !hasNotebook(shell) || activeCodeCell(shell) !== null,
      execute: async ({ isContext }) => {
        const node = isContext === true ? app.contextMenuHitTest(isCodeCell) : undefined;
        if (node) {
          activateCell(shell, node); // a click with the right button does not
        }
        const { has_jobs, language } = await jobs.server();
        if (has_jobs) {
          // else the service has said what is missing
          await runAsJob(notebookHost(app, panelSay(language)), jobs);
        }
      }
    });
    void jobs.server().then(({ language }) => {
      say = panelSay(language);
      commands.notifyCommandChanged(RUN_CELL);
      list();
    });
    // the tool bar of a cell may be made before its notebook is in front
    onCurrentChanged(shell, () => commands.notifyCommandChanged(RUN_CELL));
  }
};

function isCodeCell(node: HTMLElement): boolean {
  return node.classList.contains('jp-CodeCell');
}

async function runAsJob(desk: NotebookHost, { rest }: IJobs): Promise<void> {
  const { shell, say } = desk;
  const cell = activeCodeCell(shell);
  const source = cell?.model.sharedModel.getSource() ?? '';
  const parts = parseLine(source);
  const trouble = troubleOf(shell, cell, say);
  if (!cell || trouble) {
    warn(trouble);
  } else if (!parts) {
    warn(say('The first line of this cell has an open quote or an unknown option. Correct it first.'));
  } else {
    const notebook = notebookPath(shell);
    const { askAbout } = await import('../cell/form.js'); // late: most pages never open one
    const chosen = await ask({
      say,
      rest,
      ask: askAbout(rest, withoutOuterMagics(source), codeAbove(shell, cell), notebook),
      parts,
      notes: notesOn(shell, say)
    });
    if (chosen) {
      await write(desk, cell, chosen);
    }
  }
}

/** JupyterLab shows what has a time to be shown; all else it only counts. */
function warn(sentence: string): void {
  Notification.warning(sentence, { autoClose: SHOWN });
}

/** Why this cell cannot become a job; '' where it can. */
function troubleOf(shell: Shell, cell: Cell | null, say: Say): string {
  const language = foreignLanguage(shell);
  if (!cell) {
    return say('Click on a code cell of a notebook first.');
  }
  if (language) {
    return say('This notebook uses {language}. Training jobs need a Python notebook.', {
      language: plain(language, 60)
    });
  }
  return cell.readOnly ? say('This cell is read-only.') : '';
}

function notesOn(shell: Shell, say: Say): string[] {
  return isReadOnly(shell) ? [say('This notebook is read-only: save it under another name to keep the line.')] : [];
}

/** The line to write, and the one to write and run. */
interface Lines {
  readonly write: string;
  readonly run: string;
}
interface Chosen {
  readonly line: string;
  readonly run: boolean;
}

/** The line that the user wants; null where they want none. */
async function ask(options: Omit<FormOptions, 'changed'>): Promise<Chosen | null> {
  const { say } = options;
  const { CellForm } = await import('../cell/form.js');
  const cancel = Dialog.cancelButton({ label: say('Cancel') });
  const write = Dialog.okButton({ label: say('Insert') });
  const run = Dialog.okButton({ label: say('Insert and run'), className: RUN_BUTTON });
  const dialog = new Dialog<Lines>({
    title: say('Run cell as training job'),
    body: new FormBody(changed => new CellForm({ ...options, changed })),
    buttons: [cancel, write, run],
    defaultButton: 1,
    focusNodeSelector: 'input'
  });
  dialog.addClass('pj-CellDialog');
  const { button, value } = await dialog.launch();
  return value && button.accept ? { line: button === run ? value.run : value.write, run: button === run } : null;
}

async function write(desk: NotebookHost, cell: Cell, { line, run }: Chosen): Promise<void> {
  const { sharedModel } = cell.model;
  if (cell.isDisposed) {
    warn(desk.say('The cell was deleted. Nothing was changed.'));
    return;
  }
  sharedModel.setSource(replaceLine(sharedModel.getSource(), line));
  if (run) {
    await runCell(desk, cell);
  }
}

/**
 * The form as the body of a dialog, which lets nobody accept while something in it is marked as wrong. The dialog looks
 * at every keystroke before the form does; so when the form comes to another view, the dialog is made to look again.
 */
class FormBody extends Widget implements Dialog.IBodyWidget<Lines> {
  readonly #form: CellForm;
  readonly #accepting: (isAllowed: boolean) => void;
  #isMarked = false;

  constructor(make: (changed: () => void) => CellForm) {
    super();
    this.#form = make(() => this.#mark());
    this.#accepting = accepting(this.node);
  }

  getValue(): Lines {
    return { write: this.#form.line(false), run: this.#form.line(true) };
  }

  override dispose(): void {
    this.#accepting(true);
    this.#form.dispose();
    super.dispose();
  }

  /** Only now, when JupyterLab has given the controls of its own dialogs their look: ours have their own. */
  protected override onBeforeAttach(): void {
    this.node.append(this.#form.element);
  }

  protected override onAfterAttach(): void {
    this.#mark();
  }

  #mark(): void {
    const isWrong = this.#form?.isWrong ?? false;
    if (isWrong !== this.#isMarked) {
      this.#isMarked = isWrong;
      this.toggleClass('jp-mod-error', isWrong);
      this.#accepting(!isWrong);
      this.node.dispatchEvent(new Event('input', { bubbles: true }));
    }
    this.#allowRunning(isWrong, this.#form?.refusal ?? '');
  }

  /** The dialog allows either button or none, so this one is held back after it has had its say. */
  #allowRunning(isWrong: boolean, refusal: string): void {
    const run = this.node.closest('.jp-Dialog')?.querySelector<HTMLButtonElement>(`button.${RUN_BUTTON}`);
    if (run) {
      run.disabled = isWrong || refusal !== '';
      run.title = refusal;
    }
  }
}
