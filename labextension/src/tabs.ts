/**
 * The tabs: the tablist pattern of WAI-ARIA. One tab is in the tab order; arrows, Home and End move and choose.
 *
 * Rule 1: a pane is made when it is first shown, and hears of every push from then on.
 * Rule 2: the chosen tab is remembered for this job while the browser's tab lives.
 * Rule 3: the panels grow when a tall one is shown for the first time, and shrink for no other: at the end of a page
 *   that would move the tabs from under the pointer.
 */

import { Disposables, element } from './parts/dom.js';
import type { Pane, Push } from './tokens.js';

export interface TabSpec {
  readonly key: string;
  readonly label: string;
  readonly isTall?: boolean; // it needs more room than text does
  readonly isFirst?: boolean; // it is shown first
  make(): Pane;
}

interface Tab extends TabSpec {
  readonly button: HTMLButtonElement;
  readonly panel: HTMLElement;
  pane: Pane | null;
}

export class Tabs {
  readonly element = element('div', { class: 'pj-JobView-tabs' });
  readonly #job: string;
  readonly #panels = element('div', { class: 'pj-JobView-panels' });
  readonly #lasting = new Disposables();
  readonly #tabs: readonly Tab[];
  #chosen: Tab | null = null;

  /** `prefix` makes ids that no other view on the page has; `job` is what the choice is remembered for. */
  constructor(specs: readonly TabSpec[], label: string, prefix: string, job: string) {
    this.#job = job;
    this.#tabs = specs.map(spec => this.#tab(spec, prefix));
    const list = element('div', { class: 'pj-JobView-tabList', role: 'tablist', 'aria-label': label });
    list.append(...this.#tabs.map(tab => tab.button));
    this.#panels.append(...this.#tabs.map(tab => tab.panel));
    this.element.append(list, this.#panels);
    this.#lasting.listen(list, 'keydown', event => this.#press(event));
  }

  /** Show the remembered tab, else the one that is first, by its spec or its place. */
  begin(): void {
    const remembered = recall(this.#job);
    const [first] = [...this.#tabs.filter(tab => tab.key === remembered), ...this.#tabs.filter(tab => tab.isFirst)];
    this.choose((first ?? this.#tabs[0])?.key ?? '');
  }

  choose(key: string): void {
    const next = this.#tabs.find(tab => tab.key === key);
    if (!next || next === this.#chosen) {
      return;
    }
    if (this.#chosen) {
      mark(this.#chosen, false);
      this.#chosen.pane?.show(false);
    }
    this.#chosen = next;
    mark(next, true);
    if (next.isTall) {
      this.#panels.classList.add('pj-JobView-panels-tall');
    }
    if (!next.pane) {
      next.pane = next.make();
      next.panel.append(next.pane.element);
    }
    next.pane.show(true);
  }

  update(push: Push, buffers: ArrayBuffer[]): void {
    for (const { pane } of this.#tabs) {
      pane?.update(push, buffers);
    }
  }

  dispose(): void {
    this.#lasting.dispose();
    for (const { pane } of this.#tabs) {
      pane?.dispose();
    }
  }

  #tab(spec: TabSpec, prefix: string): Tab {
    const [id, panelId] = [`${prefix}-tab-${spec.key}`, `${prefix}-panel-${spec.key}`];
    const properties = { type: 'button', role: 'tab', id, 'aria-controls': panelId, 'data-label': spec.label };
    const button = element('button', properties, spec.label);
    const panel = element('div', { role: 'tabpanel', id: panelId, 'aria-labelledby': id, tabindex: 0 });
    panel.classList.add('pj-JobView-panel');
    const tab: Tab = { ...spec, button, panel, pane: null };
    mark(tab, false);
    this.#lasting.listen(button, 'click', () => this.#pick(tab));
    return tab;
  }

  /** The user's own choice, which is worth remembering. */
  #pick(tab: Tab): void {
    this.choose(tab.key);
    remember(this.#job, tab.key);
  }

  #press(event: KeyboardEvent): void {
    const at = this.#tabs.findIndex(tab => tab === this.#chosen);
    const last = this.#tabs.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at <= 0 ? last : at - 1,
      Home: 0,
      End: last
    };
    const target = this.#tabs[moves[event.key] ?? -1];
    if (target) {
      event.preventDefault();
      this.#pick(target);
      target.button.focus();
    }
  }
}

function mark({ button, panel }: Tab, isChosen: boolean): void {
  button.setAttribute('aria-selected', String(isChosen));
  button.tabIndex = isChosen ? 0 : -1;
  panel.hidden = !isChosen;
}

function recall(job: string): string | null {
  try {
    return sessionStorage.getItem(`pj-tab-${job}`);
  } catch {
    return null; // a page may be denied its storage
  }
}

function remember(job: string, key: string): void {
  try {
    sessionStorage.setItem(`pj-tab-${job}`, key);
  } catch {
    // denied or full: the tab is not remembered, nothing else
  }
}
