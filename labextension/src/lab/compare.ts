/**
 * Comparisons of jobs as tabs, which come back with the layout.
 *
 * Rule 1: one tab for the same jobs; to open it again is to go there.
 * Rule 2: where our extension of the server is missing there is nothing to compare: the tab closes, and the service has
 *   said why.
 */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { type ChartStore, Comparison, FEWEST } from '../compare/comparison.js';
import { MOST_COMPARED } from '../panel/actions.js';
import type { DifferenceAnswer } from '../panel/protocol.js';
import { panelSay } from '../panel/translation.js';
import { plain } from '../text/sanitize.js';
import { languageOf } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import { CHARTS, chartStore } from './chartstore.js';
import { addTab, activateTab } from './tabplacement.js';
import { watchGone } from './gonejobs.js';
import { panelIcon } from './icon.js';
import { IJobs } from './jobs.js';

const OPEN = 'pai-jupyter:open-comparison';

/** Show these jobs beside one another; rejects with a sentence where they are too few or too many. */
export async function openComparison(
  { commands }: Pick<JupyterFrontEnd, 'commands'>,
  ids: readonly string[]
): Promise<void> {
  await commands.execute(OPEN, { ids: [...ids] });
}

export const comparePlugin: JupyterFrontEndPlugin<void> = {
  id: CHARTS,
  description: 'Compares training jobs in a tab.',
  autoStart: true,
  requires: [IJobs],
  optional: [ITranslator, ILayoutRestorer, ISettingRegistry],
  activate: (
    app,
    jobs: IJobs,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    registry: ISettingRegistry | null
  ): void => {
    const say = panelSay(languageOf(translator?.languageCode));
    const store = chartStore(registry, say);
    const tracker = new WidgetTracker<ComparisonTab>({ namespace: 'pai-jupyter-compare' });
    const open = (ids: readonly string[], baseline: string): ComparisonTab => {
      const known = tracker.find(tab => keyOf(tab.ids) === keyOf(ids));
      const tab =
        known ?? new ComparisonTab({ ids, baseline, jobs, say, store, changed: made => void tracker.save(made) });
      if (known) {
        activateTab(app, tab);
      } else {
        void tracker.add(tab);
        void addTab(app, tab);
      }
      return tab;
    };
    app.commands.addCommand(OPEN, {
      label: say('Compare'),
      execute: ({ ids, baseline }) => open(readIds(ids, say), typeof baseline === 'string' ? baseline : '')
    });
    const args = ({ ids, baseline }: ComparisonTab): { ids: string[]; baseline: string } => ({
      ids: [...ids],
      baseline
    });
    void restorer?.restore(tracker, { command: OPEN, args, name: ({ ids }) => keyOf(ids) });
  }
};

let tabs = 0;

interface ComparisonTabOptions {
  readonly ids: readonly string[];
  readonly baseline: string;
  readonly jobs: IJobs;
  readonly say: Say;
  readonly store: ChartStore;
  /** Hears of what is to be kept with the layout. */
  readonly changed: (tab: ComparisonTab) => void;
}

class ComparisonTab extends Widget {
  readonly ids: readonly string[];
  baseline: string;
  readonly #jobs: IJobs;
  readonly #store: ChartStore;
  readonly #changed: (tab: ComparisonTab) => void;
  #end: (() => void) | null = null;
  #comparison: Comparison | null = null;

  constructor({ ids, baseline, jobs, say, store, changed }: ComparisonTabOptions) {
    super();
    this.ids = ids;
    this.baseline = baseline;
    this.#jobs = jobs;
    this.#store = store;
    this.#changed = changed;
    this.id = `pai-jupyter-compare-${(tabs += 1)}`;
    this.#name(say);
    this.title.icon = panelIcon;
    const { rows } = jobs.list();
    this.title.caption = ids.map(id => plain(rows.get(id)?.name, 100) || id).join('\n');
    this.title.closable = true;
    this.addClass('pj-Comparison');
    this.node.tabIndex = -1;
    void this.#begin();
  }

  override dispose(): void {
    this.#end?.();
    this.#end = null;
    super.dispose();
  }

  protected override onActivateRequest(): void {
    this.node.focus();
  }

  protected override onCloseRequest(): void {
    this.dispose();
  }

  protected override onAfterShow(): void {
    this.#comparison?.show(true);
  }

  protected override onBeforeHide(): void {
    this.#comparison?.show(false);
  }

  #name(say: Say): void {
    this.title.label = say('Comparison of {count} jobs', { count: this.ids.length });
  }

  async #begin(): Promise<void> {
    const { has_jobs, language } = await this.#jobs.server();
    if (!has_jobs) {
      this.dispose();
    } else if (!this.isDisposed) {
      this.#show(panelSay(language));
    }
  }

  #show(say: Say): void {
    const sources = this.ids.map(id => this.#jobs.source(id));
    const ask = (from: string, to: string): Promise<DifferenceAnswer> =>
      this.#jobs.rest.get(`jobs/${encodeURIComponent(from)}/difference`, { to });
    const comparison = (this.#comparison = new Comparison(say, sources, ask, {
      store: this.#store,
      baseline: this.baseline,
      onBaseline: job => {
        this.baseline = job;
        this.#changed(this);
      }
    }));
    const leave = watchGone(this.#jobs.list(), sources);
    this.#end = () => {
      leave();
      comparison.dispose();
      sources.forEach(source => source.dispose());
    };
    this.#name(say);
    this.node.append(comparison.element);
    comparison.show(this.isVisible);
  }
}

/** The ids, as a layout or another extension gives them. */
function readIds(ids: unknown, say: Say): string[] {
  const read = Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
  const unique = [...new Set(read)];
  if (unique.length < FEWEST || unique.length > MOST_COMPARED) {
    const counts = { fewest: FEWEST, most: MOST_COMPARED };
    throw new RequestError(say('Choose {fewest} to {most} jobs to compare.', counts), 'SpecError');
  }
  return unique;
}

function keyOf(ids: readonly string[]): string {
  return [...ids].sort().join(' ');
}
