/**
 * A job in a tab of its own, with the same view as in the output of a cell. Tabs come back with the layout.
 */

import { WidgetTracker } from '@jupyterlab/apputils';

import type { Language } from '../text/words.js';
import { plain } from '../text/plain.js';
import { addTab, type Area, bringUp } from './area.js';
import { panelIcon } from './icon.js';
import type { IJobs } from './jobs.js';
import { LiveView } from './liveview.js';

const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/; // as `pai_jupyter/store/jobstore.py` has it

/** The tabs that are open. */
export class JobTabs {
  readonly tracker = new WidgetTracker<JobTab>({ namespace: 'pai-jupyter-jobs' });
  readonly #area: Area;
  readonly #jobs: IJobs;

  constructor(area: Area, jobs: IJobs) {
    this.#area = area;
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
      bringUp(this.#area, known);
    }
    return known ?? this.#make(id, language);
  }

  #make(id: string, language: Language): JobTab {
    const tab = new JobTab(id, this.#jobs, language, other => void this.open(other));
    void this.tracker.add(tab);
    void addTab(this.#area, tab);
    return tab;
  }
}

class JobTab extends LiveView {
  constructor(id: string, jobs: IJobs, language: Language, openJob: (id: string) => void) {
    super(jobs.source(id), () => ({ host: { language, openJob } }));
    this.id = `pai-jupyter-job-${id}`;
    this.addClass('pj-JobTab');
    this.node.tabIndex = -1;
    this.title.label = plain(jobs.list().rows.get(id)?.name, 60) || id;
    this.title.caption = id;
    this.title.icon = panelIcon;
    this.title.closable = true;
    this.source.listen({
      push: push => {
        if (push.kind === 'snapshot') {
          this.title.label = plain(push.job.name, 60) || id;
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
