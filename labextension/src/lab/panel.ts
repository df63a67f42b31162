/**
 * The side panel: all jobs of this user, runs, boards, backends, stored files and components, in the left side bar.
 *
 *   sections.ts   a fold of the panel           jobtab.ts       a job in a tab of its own (a plugin)
 *   palette.ts    its commands (a plugin)       jobmonitor.ts   follows the jobs while the panel is closed
 *   actions.ts    what is done to jobs          runmonitor.ts   asks whether runs have ended whose jobs have
 *                                               statusbar.ts    notifications, status bar, badge
 *
 * Rule 1: what is hidden does no work; sections are made when they are first seen.
 * Rule 2: every service of the application that is not there is done without.
 * Rule 3: a server without our extension: the service has told it once, the panel says the same, and nothing more is
 *   asked.
 */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { SidePanel } from '@jupyterlab/ui-components';
import type { AccordionPanel, Menu } from '@lumino/widgets';

import { backendsSection } from '../panel/backends.js';
import { boardsSection } from '../panel/boards.js';
import { componentsSection, type ComponentsSection } from '../panel/components.js';
import { jobsSection, type JobsSection } from '../panel/jobs.js';
import { runsSection } from '../panel/runs.js';
import type { JobRow } from '../panel/protocol.js';
import type { OpenForm } from '../panel/openform.js';
import type { PanelContext, Section } from '../panel/section.js';
import type { Actions } from '../panel/actions.js';
import { JobLabels } from '../panel/joblabels.js';
import { isNews, TOLD_AFTER } from '../panel/notifications.js';
import { panelSay } from '../panel/translation.js';
import { element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { storageSection } from '../storage/storage.js';
import { type Language, languageOf } from '../text/translation.js';
import type { RunHead } from '../run/tokens.js';
import type { Say } from '../tokens.js';
import { labActions, rowsOf } from './actions.js';
import { panelIcon } from './icon.js';
import { IJobs, MISSING } from './jobs.js';
import { showJob } from './jobtab.js';
import { IPanel } from './palette.js';
import { RUN_CELL } from './runcell.js';
import { showTable } from './runstable.js';
import { showRun } from './runtab.js';
import { SectionHost } from './sections.js';
import { showDesktop, wantDesktop } from './desktop.js';
import { DEFAULTS, followSettings, type PanelSettings } from './settings.js';
import { onFoldToggled } from './compat.js';
import { alertNotices, failureCauses, drawBadge, endNotices, type Notice, runNotice, StatusItem } from './statusbar.js';
import { JobMonitor } from './jobmonitor.js';
import { RunMonitor } from './runmonitor.js';

const RANK = 350; // below the files and the running sessions
const SHOWN = 8_000; // milliseconds that a notification stays
const FAILURE_SHOWN = 20_000; // and one that says why a job has failed
const LEAST = 0.15; // of the panel's height, for a fold
const TITLES = ['Jobs', 'Runs', 'TensorBoard', 'Backends', 'Storage', 'Components'];
const [JOBS, BOARDS, COMPONENTS] = [0, 2, 5];

export const panelPlugin: JupyterFrontEndPlugin<IPanel> = {
  id: 'pai-jupyter:panel',
  description: 'The side panel of training jobs.',
  autoStart: true,
  provides: IPanel,
  requires: [IJobs],
  optional: [ITranslator, ILayoutRestorer, ISettingRegistry, IStatusBar],
  activate: (
    app,
    jobs: IJobs,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    registry: ISettingRegistry | null,
    statusBar: IStatusBar | null
  ): IPanel => {
    const panel = new Panel(app, jobs, languageOf(translator?.languageCode));
    app.shell.add(panel.widget, 'left', { rank: RANK, type: 'Training Jobs' });
    restorer?.add(panel.widget, panel.widget.id);
    statusBar?.registerStatusItem('pai-jupyter:running', {
      item: panel.status,
      align: 'left',
      rank: 20,
      isActive: () => panel.status.isActive,
      activeStateChanged: panel.status.activeChanged
    });
    const apply = (settings: PanelSettings): void => void panel.apply(settings);
    if (registry) {
      followSettings(registry, panel.say, apply).catch(() => apply(DEFAULTS)); // a server without our settings
    } else {
      apply(DEFAULTS);
    }
    return panel.commanded;
  }
};

class Panel {
  readonly widget: SidePanel;
  readonly commanded: IPanel;
  readonly status = new StatusItem(() => void this.reveal());
  say: Say;
  readonly #app: JupyterFrontEnd;
  readonly #jobs: IJobs;
  readonly #actions: Actions;
  readonly #distinct = new JobLabels(); // what tells runs of one name apart in notifications
  readonly #spoken = element('div', { class: 'pj-JobView-spoken', role: 'status' });
  readonly #section: SectionHost<JobsSection>;
  readonly #components: SectionHost<ComponentsSection>;
  readonly #hosts: readonly SectionHost[];
  readonly #watch: JobMonitor;
  readonly #runs: RunMonitor;
  #context: Promise<PanelContext | null> | null = null;
  #settings: PanelSettings = DEFAULTS;
  #isSeen = false; // the list of jobs

  constructor(app: JupyterFrontEnd, jobs: IJobs, language: Language) {
    this.#app = app;
    this.#jobs = jobs;
    this.say = panelSay(language);
    const openTab = (id: string): Promise<void> => showJob(app, id);
    this.#actions = labActions(app, jobs, { say: () => this.say, openTab, showBoards: () => this.#showBoards() });
    this.#section = this.#host(jobsSection, isSeen => this.#see(isSeen));
    this.#components = this.#host(componentsSection);
    const others = [runsSection, boardsSection, backendsSection, storageSection].map(make => this.#host(make));
    this.#hosts = [this.#section, ...others, this.#components];
    this.widget = this.#build();
    this.#runs = new RunMonitor(jobs.rest, run => void this.#tellRun(run));
    this.#watch = new JobMonitor(jobs.list(), (ended, alerted) => this.#changed(ended, alerted));
    this.commanded = {
      say: () => this.say,
      section: () => this.#section.section,
      reveal: () => this.reveal(),
      fail: sentence => void Notification.error(sentence, { autoClose: SHOWN }),
      icon: panelIcon,
      act: this.#actions,
      rows: ids => rowsOf(jobs.rest, ids),
      refresh: () => this.#hosts.forEach(host => host.renew()),
      newComponent: () => this.#newComponent(),
      changed: () => undefined
    };
  }

  /** Count and tell, from now on, what these settings say. */
  async apply(settings: PanelSettings): Promise<void> {
    const { metric, notifyDesktop } = this.#settings;
    this.#settings = settings;
    if (settings.notifyDesktop && !notifyDesktop) {
      wantDesktop(this.say);
    }
    if (settings.metric !== metric && (await this.#ready())) {
      const named = this.#jobs.rest.post('metric', { name: settings.metric.trim() });
      await named.catch((error: unknown) => Notification.error(errorText(error), { autoClose: SHOWN }));
    }
    const isWanted = (): boolean => {
      const { notifyEnd, notifyAlerts, showCounts } = this.#settings;
      return notifyEnd || notifyAlerts || showCounts;
    };
    if (!isWanted() || (await this.#ready())) {
      const { notifyEnd, notifyAlerts, notifyDesktop } = this.#settings;
      this.#watch.want(isWanted(), notifyDesktop && (notifyEnd || notifyAlerts));
      this.#changed([], []);
    }
  }

  /** Bring the panel up, with the focus in its section of jobs; gives that, null where there is none to be had. */
  async reveal(): Promise<JobsSection | null> {
    await this.#unfold(JOBS);
    await this.#ready();
    this.#section.section?.focus();
    return this.#section.section;
  }

  #host<S extends Section>(make: (context: PanelContext) => S, shown?: (isShown: boolean) => void): SectionHost<S> {
    return new SectionHost({ context: () => this.#ready(), make, missing: () => this.say(MISSING) }, shown);
  }

  #build(): SidePanel {
    const widget = new SidePanel();
    widget.id = 'pai-jupyter-panel';
    widget.addClass('pj-Panel');
    widget.title.icon = panelIcon;
    widget.node.append(this.#spoken);
    this.#hosts.forEach(host => widget.addWidget(host));
    this.#label(widget);
    this.#hosts.slice(1).forEach((_, at) => accordion(widget).collapse(at + 1));
    onFoldToggled(accordion(widget), () => giveRoom(accordion(widget)));
    void this.#app.restored.then(() => giveRoom(accordion(widget))); // what is restored may be from before such a share
    keepFocus(widget.node, this.#app.contextMenu.menu);
    return widget;
  }

  #label(widget: SidePanel): void {
    TITLES.forEach((title, at) => ((accordion(widget).widgets[at] as SectionHost).title.label = this.say(title)));
    widget.node.setAttribute('role', 'region');
    widget.node.setAttribute('aria-label', this.say('Training jobs'));
    drawBadge(widget.title, 0, 0, this.say);
  }

  /** What sections are made from, asked for once; null where the server does not know us. */
  #ready(): Promise<PanelContext | null> {
    this.#context ??= this.#begin();
    return this.#context;
  }

  async #begin(): Promise<PanelContext | null> {
    const { has_jobs, language } = await this.#jobs.server();
    this.say = panelSay(language);
    this.#label(this.widget);
    this.commanded.changed();
    const announce = (text: string): void => void (this.#spoken.textContent = text);
    const { say } = this;
    const { rest } = this.#jobs;
    const runCell = (): void => void this.#app.commands.execute(RUN_CELL);
    const openForm: OpenForm = async (...form) => (await import('./formdialog.js')).openForm(...form);
    const list = this.#jobs.list();
    const openRun = (run: string): void => void showRun(this.#app, run);
    const openTable = (): void => void showTable(this.#app);
    const context = { say, language, rest, list, act: this.#actions, announce, runCell, openForm, openRun, openTable };
    return has_jobs ? context : null;
  }

  /** Bring up this section of the panel. */
  async #unfold(at: number): Promise<void> {
    await this.#app.restored;
    this.#app.shell.activateById(this.widget.id);
    accordion(this.widget).expand(at);
  }

  /** Bring up the boards as they are by now, though they may have been shown before. */
  async #showBoards(): Promise<void> {
    await this.#unfold(BOARDS);
    this.#hosts[BOARDS]?.renew();
  }

  async #newComponent(): Promise<void> {
    await this.#unfold(COMPONENTS);
    await this.#ready();
    await this.#components.section?.newComponent();
  }

  #see(isSeen: boolean): void {
    this.#isSeen = isSeen;
    const section = this.#section.section;
    if (section) {
      section.onChosen = () => this.commanded.changed();
    }
    if (isSeen) {
      this.#watch.looked();
    }
  }

  #changed(ended: readonly JobRow[], alerted: readonly JobRow[]): void {
    const { notifications } = this.#watch;
    const { notifyEnd, notifyAlerts, showCounts } = this.#settings;
    if (this.#isSeen) {
      notifications.looked();
    }
    if (notifyEnd) {
      this.#runs.take(ended, this.#jobs.list().rows);
      void this.#tell(ended.filter(({ run }) => !run)); // of the others, their run is told when it has ended
    }
    if (notifyAlerts) {
      alertNotices(alerted, this.say).forEach(notice => this.#notify(notice));
    }
    drawBadge(
      this.widget.title,
      showCounts ? notifications.running : 0,
      showCounts ? notifications.failed : 0,
      this.say
    );
    this.status.draw(showCounts ? notifications.running : 0, this.say);
  }

  async #tellRun(run: RunHead): Promise<void> {
    if (isNews(run, await this.#toldAfter())) {
      this.#notify(runNotice(run, this.say));
    }
  }

  /** How many seconds a job takes at least whose end is told. */
  async #toldAfter(): Promise<number> {
    return this.#settings.notifyShort ? 0 : ((await this.#jobs.server()).notifyAfter ?? TOLD_AFTER);
  }

  async #tell(all: readonly JobRow[]): Promise<void> {
    const after = all.length ? await this.#toldAfter() : 0;
    const ended = all.filter(row => isNews(row, after));
    if (ended.length === 0) {
      return;
    }
    const causes = await failureCauses(ended, this.#jobs.rest);
    this.#distinct.update(this.#jobs.list().rows);
    endNotices(ended, this.say, causes, id => this.#distinct.of(id)).forEach(notice => this.#notify(notice));
  }

  #notify({ message, kind, job, run }: Notice): void {
    const label = this.say(job === null && !run ? 'Show' : 'Open');
    const show = (): Promise<unknown> => (job === null ? this.reveal() : showJob(this.#app, job));
    const callback = (): void => void (run ? showRun(this.#app, run) : show());
    const autoClose = kind === 'error' || kind === 'warning' ? FAILURE_SHOWN : SHOWN;
    Notification.emit(message, kind, { autoClose, actions: [{ label, callback }] });
    if (this.#settings.notifyDesktop) {
      showDesktop(this.say('Training jobs'), message, callback);
    }
  }
}

/** Where an open fold has hardly any height, as one never open before, all share it anew: jobs get two parts. */
function giveRoom(panel: AccordionPanel): void {
  const sizes = panel.relativeSizes();
  if (panel.widgets.some((fold, at) => !fold.isHidden && (sizes[at] ?? 0) < LEAST)) {
    panel.setRelativeSizes(panel.widgets.map((fold, at) => (fold.isHidden ? 0 : at === JOBS ? 2 : 1)));
  }
}

/** A context menu leaves the focus nowhere when it closes: give it back to what had it in `node`. */
function keepFocus(node: HTMLElement, menu: Menu): void {
  let before: Element | null = null;
  document.addEventListener(
    'contextmenu',
    ({ target }) => {
      before = target instanceof Node && node.contains(target) ? document.activeElement : null;
    },
    true
  );
  menu.aboutToClose.connect(() => {
    if (before instanceof HTMLElement) {
      before.focus({ preventScroll: true });
    }
    before = null;
  });
}

function accordion({ content }: SidePanel): AccordionPanel {
  return content as AccordionPanel; // as a side panel makes it
}
