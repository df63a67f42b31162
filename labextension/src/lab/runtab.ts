/**
 * A run in a tab of its own, with the same view as in the output of a cell. Tabs come back with the layout.
 */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { panelSay } from '../panel/translation.js';
import { type RunDeeds, runDeeds } from '../run/deeds.js';
import type { RunHost } from '../run/tokens.js';
import { valueTexts } from '../run/values.js';
import { moment } from '../text/format.js';
import { type Language, languageOf } from '../text/translation.js';
import { plain } from '../text/sanitize.js';
import type { WireRun } from '../wire/run.js';
import { panelIcon } from './icon.js';
import { IJobs } from './jobs.js';
import { SHOW_JOB, showJob } from './jobtab.js';
import { LiveRun } from './liverun.js';
import { ID } from './payload.js';
import { addTab, activateTab } from './tabplacement.js';

export const SHOW_RUN = 'pai-jupyter:show-run';

/** Show the run in its tab. */
export async function showRun({ commands }: Pick<JupyterFrontEnd, 'commands'>, run: string): Promise<void> {
  await commands.execute(SHOW_RUN, { run });
}

/** What the server does with a run, but for deleting its record: it is shown. */
export function runActions({ rest }: Pick<IJobs, 'rest'>, id: string): Omit<RunDeeds, 'remove'> {
  const { stop, inputs, rerun } = runDeeds(rest, id);
  return { stop, inputs, rerun };
}

export const runTabPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:run-view',
  description: 'A run in a tab of the main area.',
  autoStart: true,
  requires: [IJobs],
  optional: [ITranslator, ILayoutRestorer],
  activate: (app, jobs: IJobs, translator: ITranslator | null, restorer: ILayoutRestorer | null): void => {
    const tabs = new RunTabs(app, jobs);
    app.commands.addCommand(SHOW_RUN, {
      label: panelSay(languageOf(translator?.languageCode))('Open'),
      execute: ({ run }) => (typeof run === 'string' ? tabs.open(run) : null)
    });
    const args = ({ run }: RunTab): { run: string } => ({ run });
    void restorer?.restore(tabs.tracker, { command: SHOW_RUN, args, name: ({ run }) => run });
  }
};

/** The tabs that are open. */
class RunTabs {
  readonly tracker = new WidgetTracker<RunTab>({ namespace: 'pai-jupyter-runs' });
  readonly #app: JupyterFrontEnd;
  readonly #jobs: IJobs;

  constructor(app: JupyterFrontEnd, jobs: IJobs) {
    this.#app = app;
    this.#jobs = jobs;
  }

  /** Show the run in its tab; what is no run's id opens none. */
  async open(run: string): Promise<RunTab | null> {
    const { language } = await this.#jobs.server();
    const known = this.tracker.find(tab => tab.run === run);
    if (!known && !ID.test(run)) {
      return null;
    }
    if (known) {
      activateTab(this.#app, known);
    }
    return known ?? this.#make(run, language);
  }

  #make(run: string, language: Language): RunTab {
    const { commands } = this.#app;
    const openJob = (job: string): void => void showJob(this.#app, job);
    const tab = new RunTab(run, this.#jobs, {
      language,
      openRun: other => void this.open(other),
      ...(commands.hasCommand(SHOW_JOB) ? { openJob } : {}), // that plugin may be switched off
      ...runActions(this.#jobs, run)
    });
    void this.tracker.add(tab);
    void addTab(this.#app, tab);
    return tab;
  }
}

class RunTab extends LiveRun {
  constructor(
    readonly run: string,
    jobs: IJobs,
    host: RunHost
  ) {
    super(() => jobs.run(run), { host });
    this.id = `pai-jupyter-run-${run}`;
    this.addClass('pj-JobTab');
    this.node.tabIndex = -1;
    this.title.label = this.title.caption = run;
    this.title.icon = panelIcon;
    this.title.closable = true;
  }

  protected override begun(source: WireRun): void {
    source.listen({
      push: ({ run }) => {
        const { name, inputs, created } = run;
        this.title.label = plain(name, 60) || this.run;
        this.title.caption = [plain(name), this.run, moment(created), ...valueTexts(inputs, 60)].join('\n');
      }
    });
  }

  protected override onActivateRequest(): void {
    this.node.focus();
  }

  protected override onCloseRequest(): void {
    this.dispose();
  }
}
