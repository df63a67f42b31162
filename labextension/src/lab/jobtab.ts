/**
 * A job in a tab of its own, with the same view as in the output of a cell. Tabs come back with the layout.
 */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { panelSay } from '../panel/translation.js';
import { type Language, languageOf } from '../text/translation.js';
import { plain } from '../text/sanitize.js';
import type { Host } from '../tokens.js';
import { CommandIDs } from './commands.js';
import { addTab, type TabHost, activateTab } from './tabplacement.js';
import { panelIcon } from './icon.js';
import { IJobs } from './jobs.js';
import { LiveView } from './liveview.js';
import { loadStacks } from './stacks.js';

export const SHOW_JOB = 'pai-jupyter:show-job';
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/; // as `pai_jupyter/store/jobstore.py` has it

/** Show the job in its tab. */
export async function showJob({ commands }: Pick<JupyterFrontEnd, 'commands'>, id: string): Promise<void> {
  await commands.execute(SHOW_JOB, { job: id });
}

/** What a view needs to open the form of a rerun; nothing where the panel, which has it, is switched off. */
export function rerunHost({ commands }: Pick<JupyterFrontEnd, 'commands'>): Pick<Host, 'openRerun'> {
  const openRerun = (job: string): void => void commands.execute(CommandIDs.rerunForm, { job });
  return commands.hasCommand(CommandIDs.rerunForm) ? { openRerun } : {};
}

export const jobTabPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:job-view',
  description: 'A training job in a tab of the main area.',
  autoStart: true,
  requires: [IJobs],
  optional: [ITranslator, ILayoutRestorer],
  activate: (app, jobs: IJobs, translator: ITranslator | null, restorer: ILayoutRestorer | null): void => {
    const tabs = new JobTabs(app, jobs);
    app.commands.addCommand(SHOW_JOB, {
      label: panelSay(languageOf(translator?.languageCode))('Open'),
      execute: ({ job }) => (typeof job === 'string' ? tabs.open(job) : null)
    });
    const args = ({ source }: JobTab): { job: string } => ({ job: source.job });
    void restorer?.restore(tabs.tracker, { command: SHOW_JOB, args, name: ({ source }) => source.job });
  }
};

/** The tabs that are open. */
class JobTabs {
  readonly tracker = new WidgetTracker<JobTab>({ namespace: 'pai-jupyter-jobs' });
  readonly #app: TabHost & Pick<JupyterFrontEnd, 'commands'>;
  readonly #jobs: IJobs;

  constructor(app: TabHost & Pick<JupyterFrontEnd, 'commands'>, jobs: IJobs) {
    this.#app = app;
    this.#jobs = jobs;
  }

  /** Show the job in its tab; what is no job's id opens none. */
  async open(id: string): Promise<JobTab | null> {
    const { language } = await this.#jobs.server();
    const known = this.tracker.find(tab => tab.source.job === id);
    if (!known && !ID.test(id)) {
      return null;
    }
    if (known) {
      activateTab(this.#app, known);
    }
    return known ?? this.#make(id, language);
  }

  #make(id: string, language: Language): JobTab {
    const openJob = (other: string): void => void this.open(other);
    const openPage = (job: string): void => this.#jobs.openPage(job);
    const tab = new JobTab(id, this.#jobs, { language, openJob, openPage, loadStacks, ...rerunHost(this.#app) });
    void this.tracker.add(tab);
    void addTab(this.#app, tab);
    return tab;
  }
}

class JobTab extends LiveView {
  constructor(id: string, jobs: IJobs, host: Host) {
    super(jobs.source(id), () => ({ host }));
    this.id = `pai-jupyter-job-${id}`;
    this.addClass('pj-JobTab');
    this.node.tabIndex = -1;
    this.title.label = plain(jobs.list().rows.get(id)?.name, 60) || id;
    this.title.caption = id;
    this.title.icon = panelIcon;
    this.title.closable = true;
    this.source.listen({
      push: push => {
        const named = push.kind === 'snapshot' ? push.job : push.kind === 'state' ? push.labels : undefined;
        if (named) {
          this.title.label = plain(named.name, 60) || id;
        }
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
