// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Tabs } from '../src/tabs.js';
import type { Pane, Push } from '../src/tokens.js';

/** What happened to the panes, in order. */
let history: string[];
let tabs: Tabs;

function pane(key: string): Pane {
  history.push(`make ${key}`);
  const element = document.createElement('div');
  return {
    element,
    show: isShown => history.push(`${isShown ? 'show' : 'hide'} ${key}`),
    update: push => history.push(`update ${key} ${push.seq}`),
    dispose: () => history.push(`dispose ${key}`)
  };
}

function mount(job = 'job-1'): Tabs {
  const specs = ['logs', 'metrics', 'source'].map(key => {
    return { key, label: key.toUpperCase(), isTall: key === 'metrics', make: () => pane(key) };
  });
  const made = new Tabs(specs, 'Parts', 'pj-1', job);
  document.body.replaceChildren(made.element);
  made.begin();
  return made;
}

const buttons = () => [...document.querySelectorAll<HTMLElement>('[role=tab]')];
const chosen = () =>
  buttons()
    .filter(one => one.getAttribute('aria-selected') === 'true')
    .map(one => one.textContent);
const press = (key: string) =>
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));

beforeEach(() => {
  history = [];
  sessionStorage.clear();
  tabs = mount();
});

afterEach(() => tabs.dispose());

test('the first tab is shown, and only its pane is made', () => {
  expect(chosen()).toEqual(['LOGS']);
  expect(history).toEqual(['make logs', 'show logs']);
});

test('a tab that is first by its spec is shown, whatever its place, unless another was chosen', () => {
  const specs = ['overview', 'logs'].map(key => ({ key, label: key, isFirst: key === 'logs', make: () => pane(key) }));
  const begun = (): unknown => {
    const made = new Tabs(specs, 'Parts', 'pj-2', 'job-2');
    document.body.replaceChildren(made.element);
    made.begin();
    return chosen();
  };
  expect(begun()).toEqual(['logs']);
  buttons()[0]?.click();
  expect(begun()).toEqual(['overview']);
});

test('a pane is made once, shown and hidden', () => {
  tabs.choose('source');
  tabs.choose('logs');
  tabs.choose('source');
  expect(history.slice(2)).toEqual([
    'hide logs',
    'make source',
    'show source',
    'hide source',
    'show logs',
    'hide logs',
    'show source'
  ]);
});

test('a tab of charts makes room for them, which stays: the page jumps at no later choice', () => {
  const isTall = (): boolean => document.querySelector('.pj-JobView-panels-tall') !== null;
  tabs.choose('source');
  expect(isTall()).toBe(false);
  tabs.choose('metrics');
  expect(isTall()).toBe(true);
  tabs.choose('logs');
  expect(isTall()).toBe(true);
});

test('every pane that was made hears of pushes, shown or not', () => {
  tabs.choose('metrics');
  history = [];
  tabs.update({ kind: 'state', now: 1, seq: 7 } satisfies Push, []);
  expect(history).toEqual(['update logs 7', 'update metrics 7']);
});

test.each([
  [['ArrowRight'], 'METRICS'],
  [['ArrowLeft'], 'SOURCE'],
  [['End'], 'SOURCE'],
  [['End', 'ArrowRight'], 'LOGS'],
  [['End', 'Home'], 'LOGS'],
  [['x'], 'LOGS']
])('keys %j choose %s', (keys, label) => {
  buttons()[0]?.focus();
  keys.forEach(press);
  expect(chosen()).toEqual([label]);
  expect(document.activeElement?.textContent).toBe(label);
  expect(
    buttons()
      .filter(one => one.tabIndex === 0)
      .map(one => one.textContent)
  ).toEqual([label]);
});

test('tabs and panels name each other, and one panel can be seen', () => {
  for (const button of buttons()) {
    const panel = document.getElementById(button.getAttribute('aria-controls') ?? '');
    expect(panel?.getAttribute('aria-labelledby')).toBe(button.id);
    expect(panel?.hidden).toBe(button.getAttribute('aria-selected') !== 'true');
  }
});

test('the chosen tab is remembered for this job, not for another', () => {
  buttons()[1]?.click();
  tabs.dispose();
  tabs = mount('job-1');
  expect(chosen()).toEqual(['METRICS']);
  tabs.dispose();
  tabs = mount('job-2');
  expect(chosen()).toEqual(['LOGS']);
});

test('a page that is denied its storage works all the same', () => {
  const denied = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    get: () => {
      throw new Error('denied');
    }
  });
  tabs.dispose();
  tabs = mount();
  buttons()[2]?.click();
  expect(chosen()).toEqual(['SOURCE']);
  Object.defineProperty(globalThis, 'sessionStorage', denied ?? { configurable: true, value: undefined });
});

test('dispose ends every pane that was made', () => {
  tabs.choose('source');
  history = [];
  tabs.dispose();
  expect(history).toEqual(['dispose logs', 'dispose source']);
});
