// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Actions } from '../../src/head/actions.js';
import { Rerun } from '../../src/head/rerun.js';
import type { Host } from '../../src/tokens.js';
import { fakeContext, FakeSource, jobFacts, START } from '../fakes.js';
import { eventually } from '../turns.js';

let source: FakeSource;
const undo: (() => void)[] = [];

function mount(host: Partial<Host> = {}): { actions: Actions; rerun: Rerun; press: (key: string) => void } {
  const context = fakeContext(source, host);
  const rerun = new Rerun(context);
  const actions = new Actions(context, rerun);
  document.body.append(actions.element, rerun.element);
  undo.push(source.listen({ push: () => actions.draw(), status: () => actions.draw() }), () => actions.dispose());
  source.snapshot();
  const press = (key: string) => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  };
  return { actions, rerun, press };
}

function button(label: string): HTMLButtonElement {
  const found = [...document.querySelectorAll('button')].filter(one => (one.ariaLabel ?? one.textContent) === label);
  const [first] = found.filter(one => !one.closest('[hidden]'));
  if (!first) {
    throw new Error(`no button "${label}" in: ${document.body.textContent}`);
  }
  return first;
}

function has(label: string): boolean {
  return [...document.querySelectorAll('button')].some(one => one.textContent === label && !one.closest('[hidden]'));
}

beforeEach(() => {
  source = new FakeSource();
});

afterEach(() => {
  undo.splice(0).forEach(one => one());
  document.body.replaceChildren();
});

test('a browser tab is offered where the host can open one', () => {
  const opened: string[] = [];
  mount({ openPage: job => opened.push(job) });
  button('More actions').click();
  button('Open in a browser tab').click();
  expect(opened).toEqual([source.job]);
});

describe('Open in tab', () => {
  test('is in the menu where the host has tabs', () => {
    const opened: string[] = [];
    mount({ openTab: job => opened.push(job) });
    button('More actions').click();
    button('Open in tab').click();
    expect(opened).toEqual([source.job]);
  });

  test('is not offered elsewhere, e.g. in the tab itself', () => {
    mount({ openJob: () => undefined });
    button('More actions').click();
    expect(has('Open in tab')).toBe(false);
  });
});

describe('Stop', () => {
  test('asks before it stops, with the focus on the harmless answer', () => {
    mount();
    button('Stop').click();
    expect(document.body.textContent).toContain('Stop this job?');
    expect(document.activeElement).toBe(button('Keep running'));
    expect(source.count('stop')).toBe(0);
  });

  test('stops when that is confirmed', async () => {
    mount();
    button('Stop').click();
    button('Stop').click();
    await eventually(() => expect(source.count('stop')).toBe(1));
    expect(document.body.textContent).toContain('Stopping…');
  });

  test.each(['Escape', 'Keep running'])('goes on at %s, and the focus is back on Stop', way => {
    const { press } = mount();
    button('Stop').click();
    if (way === 'Escape') {
      press('Escape');
    } else {
      button(way).click();
    }
    expect(document.activeElement).toBe(button('Stop'));
    expect(has('Keep running')).toBe(false);
    expect(source.count('stop')).toBe(0);
  });

  test('is shown as waiting while the kernel is busy, and is sent when it answers', async () => {
    mount();
    source.go('busy');
    button('Stop').click();
    button('Stop').click();
    expect(document.body.textContent).toContain('Stops when the kernel responds');
    expect(source.count('stop')).toBe(0);
    source.go('live');
    await eventually(() => expect(source.count('stop')).toBe(1));
    expect(document.body.textContent).toContain('Stopping…');
  });

  test('that is refused says why, and can be pressed again', async () => {
    mount();
    source.refuse('stop', 'Docker does not answer.');
    button('Stop').click();
    button('Stop').click();
    await eventually(() => expect(document.body.textContent).toContain('Docker does not answer.'));
    expect(document.activeElement).toBe(button('Stop'));
  });

  test('goes when the job has ended, and the focus moves on to the menu', () => {
    mount();
    button('Stop').focus();
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 40 });
    expect(has('Stop')).toBe(false);
    expect(document.activeElement).toBe(button('More actions'));
  });
});

describe('the menu', () => {
  const focused = () => document.activeElement?.textContent;

  test('opens with the arrow, moves around its ends, and closes at Escape', () => {
    const { press } = mount();
    const more = button('More actions');
    more.focus();
    press('ArrowDown');
    expect(focused()).toBe('Rerun');
    expect(more.getAttribute('aria-expanded')).toBe('true');
    press('ArrowUp');
    expect(focused()).toBe('Copy folder path');
    press('ArrowDown');
    press('ArrowDown');
    expect(focused()).toBe('Copy as %%pai_train line');
    press('End');
    expect(focused()).toBe('Copy folder path');
    press('Home');
    expect(focused()).toBe('Rerun');
    press('d');
    expect(focused()).toBe('Download log');
    press('Escape');
    expect(more.getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(more);
  });

  test('closes when something else is pressed', () => {
    mount();
    button('More actions').click();
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(button('More actions').getAttribute('aria-expanded')).toBe('false');
  });

  test('that is closed hears nothing of the page any more', () => {
    const { press } = mount();
    const living = new Set<unknown>();
    const add = vi.spyOn(document, 'addEventListener').mockImplementation((_, one) => void living.add(one));
    const remove = vi.spyOn(document, 'removeEventListener').mockImplementation((_, one) => void living.delete(one));
    button('More actions').click();
    expect(living.size).toBe(1);
    press('Escape');
    expect(living.size).toBe(0);
    add.mockRestore();
    remove.mockRestore();
  });

  test('has an item for the log of each replica', () => {
    source = new FakeSource(jobFacts({ replicas: ['worker-0', 'worker-1'] }));
    mount();
    button('More actions').click();
    expect(has('Download log of worker-1')).toBe(true);
  });

  test('opens the folder where the host can', () => {
    const folders: string[] = [];
    mount({ openFolder: path => folders.push(path) });
    button('More actions').click();
    button('Open folder').click();
    expect(folders).toEqual([source.facts.folder]);
    expect(has('Copy folder path')).toBe(false);
  });

  test('copies the line', async () => {
    const copied: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    mount();
    button('More actions').click();
    button('Copy as %%pai_train line').click();
    await eventually(() => expect(document.body.textContent).toContain('Copied'));
    expect(copied).toEqual([source.facts.line]);
    vi.unstubAllGlobals();
  });

  test('lays the text out, selected, where the page has no clipboard', async () => {
    mount();
    button('More actions').click();
    button('Copy id').click();
    await eventually(() => expect(document.body.textContent).toContain('Press Ctrl+C to copy'));
    const area = document.activeElement as HTMLTextAreaElement;
    expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe(source.facts.id);
    area.blur();
    expect(document.querySelector('textarea')).toBeNull();
  });

  test('downloads the log by an address where there is one', () => {
    const clicked: string[] = [];
    const listen = (event: Event) => {
      event.preventDefault();
      clicked.push((event.target as HTMLAnchorElement).getAttribute('href') ?? '');
    };
    document.body.addEventListener('click', listen);
    source.address = '/api/log?job=1';
    mount();
    button('More actions').click();
    button('Download log').click();
    document.body.removeEventListener('click', listen);
    expect(clicked.filter(Boolean)).toEqual(['/api/log?job=1']);
  });

  test('says why a log cannot be downloaded', async () => {
    source.logs['worker-0'] = ['a', 'b'];
    mount();
    source.refuse('lines', 'The log is gone.');
    button('More actions').click();
    button('Download log').click();
    await eventually(() => expect(document.body.textContent).toContain('The log is gone.'));
  });
});

describe('Rerun', () => {
  test('says the name and id of the new job, and shows it where the host can', async () => {
    const shown: string[] = [];
    mount({ openJob: job => shown.push(job) });
    button('More actions').click();
    button('Rerun').click();
    await eventually(() => expect(document.body.textContent).toContain('iris-77bd00 (20261121-064000-iris-77bd00)'));
    button('Open').click();
    expect(shown).toEqual(['20261121-064000-iris-77bd00']);
  });

  test('has a form where the host has one, and stays one click', async () => {
    const opened: string[] = [];
    mount({ openRerun: job => opened.push(job) });
    button('More actions').click();
    button('Rerun…').click();
    expect([opened, source.count('rerun')]).toEqual([[source.job], 0]);
    button('More actions').click();
    button('Rerun as it was').click();
    await eventually(() => expect(source.count('rerun')).toBe(1));
  });

  test('twice in a moment starts one job', async () => {
    const { rerun } = mount();
    await Promise.all([rerun.start(), rerun.start()]);
    expect(source.count('rerun')).toBe(1);
  });

  test('that is refused can be tried again', async () => {
    const { rerun } = mount();
    source.refuse('rerun', 'The disk is full.');
    await rerun.start();
    expect(document.body.textContent).toContain('The disk is full.');
    source.allow('rerun');
    button('Try again').click();
    await eventually(() => expect(document.body.textContent).toContain('iris-77bd00'));
    expect(document.body.textContent).not.toContain('The disk is full.');
  });
});

test('nothing listens after dispose', () => {
  const { actions } = mount();
  button('More actions').click();
  actions.dispose();
  document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
  expect(button('More actions').getAttribute('aria-expanded')).toBe('true');
});
