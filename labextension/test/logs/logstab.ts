/** The Logs tab in the page, worked in as a user does. A file that imports this has another source for each test. */

import { afterEach, beforeEach, vi } from 'vitest';

import { logsPane } from '../../src/logs/pane.js';
import { PushedModel } from '../../src/model.js';
import { translator } from '../../src/text/translation.js';
import type { Host, Pane, Push, Requests } from '../../src/tokens.js';
import { FakeSource } from '../fakes.js';
import { turns } from '../turns.js';

const VIEWPORT = 180; // pixels, ten rows

export let source: FakeSource;
export let pane: Pane;
export let said: string[];
export let opened: number[];

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => VIEWPORT });
  [said, opened] = [[], []];
  begin();
});

afterEach(() => {
  vi.useRealTimers();
  pane.dispose();
  pane.element.remove();
  source.dispose();
  Reflect.deleteProperty(HTMLElement.prototype, 'clientHeight');
});

/** Another source, before anything of it is shown. */
export function begin(given = new FakeSource()): void {
  source = given;
}

/** A view of the log of a job that has printed these lines, as the view around it makes it. */
export async function shown(lines: string[], host: Host = { language: 'en' }): Promise<void> {
  source.logs['worker-0'] = lines;
  const model = new PushedModel();
  let made: Pane | null = null;
  source.listen({
    push: (push: Push, buffers: ArrayBuffer[]) => {
      model.push(push);
      if (made === null) {
        made = pane = logsPane({
          source,
          host,
          model,
          say: translator(host.language),
          openLine: line => opened.push(line),
          openLog: () => undefined,
          openOutput: () => undefined,
          announce: text => said.push(text)
        });
        document.body.append(pane.element);
        pane.show(true);
      }
      pane.update(push, buffers);
    }
  });
  source.snapshot();
  await turns();
}

export function numbered(count: number, name = 'line'): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}`);
}

export function rows(): string[] {
  return [...pane.element.querySelectorAll('.pj-JobView-row')].map(row => row.textContent);
}

export function find<E extends HTMLElement>(selector: string): E {
  const found = pane.element.querySelector<E>(selector);
  if (!found) {
    throw new Error(`${selector} is not there`);
  }
  return found;
}

export function labelled<E extends HTMLElement>(text: string): E {
  const controls = [...pane.element.querySelectorAll<HTMLElement>('button, input, select')];
  const found = controls.find(made =>
    [made.getAttribute('aria-label'), made.textContent, made.closest('label')?.textContent].includes(text)
  );
  if (!found) {
    throw new Error(`"${text}" is not there`);
  }
  return found as E;
}

export async function search(pattern: string, key = 'Enter'): Promise<void> {
  const box = labelled<HTMLInputElement>('Search the log');
  box.value = pattern;
  box.dispatchEvent(new Event('input'));
  box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await turns();
}

export function press(target: HTMLElement, key: string, modifiers: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  target.dispatchEvent(event);
  return event;
}

export function choose(label: string, value: string): void {
  const select = labelled<HTMLSelectElement>(label);
  select.value = value;
  select.dispatchEvent(new Event('change'));
}

export function asked<K extends keyof Requests>(kind: K): Requests[K][] {
  return source.heard.filter(([heard]) => heard === kind).map(([, parameters]) => parameters as Requests[K]);
}
