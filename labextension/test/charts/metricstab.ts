/** The Metrics tab in the page, worked in as a user does. A file that imports this has another stage for each test. */

import { afterEach, beforeEach, vi } from 'vitest';

import { metricsPane } from '../../src/charts/metrics.js';
import type { Language } from '../../src/text/translation.js';
import type { Pane } from '../../src/tokens.js';
import { find, type Given, settled, Stage } from './stage.js';

export let stage: Stage;
let pane: Pane | null = null;

beforeEach(() => begin());

afterEach(() => {
  pane?.dispose();
  pane = null;
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

/** Another stage, before anything is opened on it. */
export function begin(language?: Language): void {
  stage = new Stage(language);
}

/** A pane that the test has made itself; it is disposed of behind the test. */
export function kept(made: Pane): Pane {
  pane = made;
  return made;
}

export async function open(...held: Given[]): Promise<Pane> {
  return kept(await stage.open(metricsPane, ...held));
}

export async function set(input: HTMLInputElement | HTMLSelectElement, value: string): Promise<void> {
  input.value = value;
  ['input', 'change'].forEach(type => input.dispatchEvent(new Event(type, { bubbles: true })));
  await settled();
}

export function box(label: string): HTMLInputElement {
  return find(`label`, label).querySelector('input') ?? document.createElement('input');
}

export async function press(label: string): Promise<void> {
  find('button', label).click();
  await settled();
}

export function legend(title: string): string[][] {
  const card = stage.chart(title).canvas?.closest('.pj-JobView-card');
  const rows = [...(card?.querySelectorAll('.pj-JobView-legendLine') ?? [])];
  return rows.map(row => [...row.querySelectorAll('span:not(.pj-JobView-swatch)')].map(part => part.textContent ?? ''));
}
