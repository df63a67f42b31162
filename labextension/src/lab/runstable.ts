/**
 * Runs tables as tabs, which come back with the layout as they were set up. A new one is set up as the one before.
 *
 * Rule: where our extension of the server is missing the tab closes, and the service has said why.
 */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

import { panelSay } from '../panel/translation.js';
import type { RunsTable } from '../table/table.js';
import { NEW_STATE, readState, type TableState } from '../table/state.js';
import { languageOf } from '../text/translation.js';
import { panelIcon } from './icon.js';
import { IJobs } from './jobs.js';
import { IPanel } from './palette.js';
import { addToLauncher, paletteUpdater } from './palettecategory.js';
import { activateTab, addTab } from './tabplacement.js';

export const SHOW_TABLE = 'pai-jupyter:show-runs-table';
const KEPT = 'pai-jupyter:runs-table'; // in the state of JupyterLab

/** Show a runs table. */
export async function showTable({ commands }: Pick<JupyterFrontEnd, 'commands'>): Promise<void> {
  await commands.execute(SHOW_TABLE);
}

export const runsTablePlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:runs-table',
  description: 'A table of all training jobs with their values and metrics.',
  autoStart: true,
  requires: [IJobs, IPanel],
  optional: [ITranslator, ILayoutRestorer, ICommandPalette, ILauncher, IStateDB],
  activate: (
    app,
    jobs: IJobs,
    panel: IPanel,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    database: IStateDB | null
  ): void => {
    const say = panelSay(languageOf(translator?.languageCode));
    const tracker = new WidgetTracker<TableTab>({ namespace: 'pai-jupyter-runs-table' });
    const keep = (tab: TableTab): void => {
      void tracker.save(tab);
      void database?.save(KEPT, { ...tab.state, columns: tab.state.columns ? [...tab.state.columns] : null });
    };
    const open = async (args: ReadonlyPartialJSONObject): Promise<TableTab> => {
      const [first] = tracker.filter(() => true);
      if (first && args['state'] === undefined) {
        activateTab(app, first);
        return first;
      }
      const known = args['state'] ?? (await database?.fetch(KEPT).catch(() => undefined));
      const tab = new TableTab(readState(known), jobs, panel, keep);
      void tracker.add(tab);
      void addTab(app, tab);
      return tab;
    };
    app.commands.addCommand(SHOW_TABLE, {
      label: () => panel.say()('Runs table'),
      caption: () => panel.say()('All training jobs with their values and metrics'),
      icon: panelIcon,
      execute: open
    });
    const args = ({ state, at }: TableTab): ReadonlyPartialJSONObject => ({ state: { ...state }, at });
    void restorer?.restore(tracker, { command: SHOW_TABLE, args, name: ({ at }) => String(at) });
    if (palette) {
      paletteUpdater(palette, [SHOW_TABLE], () => say)();
    }
    if (launcher) {
      addToLauncher(launcher, SHOW_TABLE);
    }
  }
};

let tabs = 0;

class TableTab extends Widget {
  state: TableState;
  readonly at = (tabs += 1);
  readonly #jobs: IJobs;
  readonly #panel: IPanel;
  readonly #kept: (tab: TableTab) => void;
  readonly #seen = (): void => this.#table?.show(this.isVisible && !document.hidden);
  #table: RunsTable | null = null;

  constructor(state: TableState, jobs: IJobs, panel: IPanel, kept: (tab: TableTab) => void) {
    super();
    this.state = state;
    this.#jobs = jobs;
    this.#panel = panel;
    this.#kept = kept;
    this.id = `pai-jupyter-runs-table-${this.at}`;
    this.title.label = this.title.caption = panel.say()('Runs');
    this.title.icon = panelIcon;
    this.title.closable = true;
    this.addClass('pj-TableTab');
    this.node.tabIndex = -1;
    document.addEventListener('visibilitychange', this.#seen);
    void this.#begin();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      document.removeEventListener('visibilitychange', this.#seen);
      this.#table?.dispose();
      super.dispose();
    }
  }

  protected override onActivateRequest(): void {
    if (this.#table) {
      this.#table.focus();
    } else {
      this.node.focus();
    }
  }

  protected override onCloseRequest(): void {
    this.dispose();
  }

  protected override onAfterAttach(): void {
    this.#seen();
  }

  protected override onAfterShow(): void {
    this.#seen();
  }

  protected override onAfterHide(): void {
    this.#seen();
  }

  async #begin(): Promise<void> {
    const { has_jobs, language } = await this.#jobs.server();
    const { RunsTable } = await import('../table/table.js');
    if (!has_jobs) {
      this.dispose();
    } else if (!this.isDisposed) {
      const say = panelSay(language);
      this.title.label = this.title.caption = say('Runs');
      const keep = (state: TableState): void => {
        this.state = state;
        this.#kept(this);
      };
      this.#table = new RunsTable({ say, rest: this.#jobs.rest, act: this.#panel.act, keep }, this.state ?? NEW_STATE);
      this.node.append(this.#table.element);
      this.#seen();
    }
  }
}
