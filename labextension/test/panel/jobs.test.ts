// @vitest-environment jsdom
import axe from 'axe-core';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { jobsSection, type JobsSection } from '../../src/panel/jobs.js';
import type { JobRow } from '../../src/panel/protocol.js';
import type { Language } from '../../src/text/translation.js';
import { eventually, turns } from '../turns.js';
import { fakePanel, FakeList, type FakePanel, jobRow, jobRows, running } from './rows.js';

let panel: FakePanel;
let section: JobsSection;

/** The section over these jobs, as it stands in the page. */
async function mount(rows: readonly JobRow[], language: Language = 'en'): Promise<void> {
  panel = fakePanel(new FakeList(...rows), language);
  section = jobsSection(panel);
  section.element.classList.add('pj-JobView');
  document.body.append(section.element);
  section.show(true);
  await turns();
}

function priced(id: string, currency: string, isRehearsal = false): JobRow {
  return running(id, { cost: { currency, per_hour: 6.2, is_rehearsal: isRehearsal } });
}

afterEach(() => {
  section.dispose();
  document.body.replaceChildren();
});

const all = (selector: string): HTMLElement[] => [...section.element.querySelectorAll<HTMLElement>(selector)];
const options = (): HTMLElement[] => all('[role=option]');
const names = (): (string | null)[] => all('.pj-Panel-name').map(name => name.textContent);
const chosen = (): string[] => section.chosen.map(row => row.id);
const text = (): string => section.element.textContent ?? '';

function list(): HTMLElement {
  return all('[role=listbox]')[0] ?? section.element;
}

function row(id: string): HTMLElement {
  return options().find(option => option.dataset['row'] === id) ?? section.element;
}

function button(label: string): HTMLButtonElement {
  const found = all('button').find(one => (one.ariaLabel ?? one.textContent) === label && !one.closest('[hidden]'));
  if (!found) {
    throw new Error(`no button "${label}" in: ${text()}`);
  }
  return found as HTMLButtonElement;
}

function click(id: string, keys: MouseEventInit = {}): void {
  row(id).dispatchEvent(new MouseEvent('click', { bubbles: true, ...keys }));
}

async function press(key: string, keys: KeyboardEventInit = {}): Promise<void> {
  (document.activeElement ?? list()).dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...keys })
  );
  await turns();
}

async function set(label: string, value: string): Promise<void> {
  const control = all(`[aria-label="${label}"]`)[0] as HTMLInputElement | HTMLSelectElement;
  control.value = value;
  control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input'));
  await turns();
}

describe('the list', () => {
  test('has the newest job first, and says how many there are', async () => {
    await mount([jobRow('old', { created: 1 }), running('new', { created: 2 })]);
    expect(names()).toEqual(['iris-new', 'iris-old']);
    expect(text()).toContain('2 jobs, 1 running');
  });

  test.each([
    [[running('a')], '1 job, 1 running'],
    [[jobRow('a')], '1 job'],
    [
      [priced('a', 'CNY'), priced('b', 'USD'), priced('c', 'CNY'), priced('d', 'CNY', true), jobRow('e')],
      '5 jobs, 4 running: ¥12.40 + $6.20 an hour'
    ]
  ])('of %j is called "%s"', async (rows, summary) => {
    await mount(rows);
    expect(all('.pj-Panel-doing')[0]?.textContent).toBe(summary);
  });

  test('has a button to run a cell where there are no jobs and the host can', async () => {
    const run = vi.fn();
    panel = fakePanel(new FakeList());
    section = jobsSection({ ...panel, runCell: run });
    document.body.replaceChildren(section.element);
    section.show(true);
    await turns();
    expect(text()).toContain('to a notebook, or:');
    button('Run a cell as a job').click();
    expect(run).toHaveBeenCalledOnce();
  });

  test('says how many of how many jobs a filter leaves', async () => {
    await mount([jobRow('a'), jobRow('b'), running('c')]);
    await set('Filter jobs', 'iris-a');
    expect(all('.pj-Panel-doing')[0]?.textContent).toBe('1 of 3 jobs');
  });

  test('of 2,000 jobs has those in the page that can be seen', async () => {
    await mount(jobRows(2_000));
    expect(options().length).toBeLessThan(40);
    expect(options()[0]?.getAttribute('aria-setsize')).toBe('2000');
    list().scrollTop = 44 * 1_000;
    list().dispatchEvent(new Event('scroll'));
    await turns();
    expect(names()).toContain('iris-1000');
    expect(names()).not.toContain('iris-0');
  });

  test('shows a job that comes, and one that changes', async () => {
    await mount([running('a')]);
    panel.list.change(jobRow('a', { status: 'failed' }), running('b'));
    await turns();
    expect(options().map(option => option.dataset['status'])).toEqual(['failed', 'running']);
  });

  test('keeps the element of a row that moves', async () => {
    await mount([jobRow('a', { created: 1 })]);
    const before = row('a');
    panel.list.change(jobRow('b', { created: 2 }));
    await turns();
    expect(options()[1]).toBe(before);
  });

  test('asks for the courses of metrics in sight, and of no others', async () => {
    await mount(jobRows(200, { metric: { name: 'loss', value: 1 } }));
    await eventually(() => expect(panel.list.asked).toHaveLength(1));
    expect(panel.list.asked[0]?.length).toBe(options().length);
  });
});

test.each([
  [[jobRow('a')], 'Training jobs'],
  [[], 'Filter jobs']
])('with %j the focus goes to its %s', async (rows, label) => {
  await mount(rows);
  section.focus();
  expect(document.activeElement?.getAttribute('aria-label')).toBe(label);
});

describe('filters', () => {
  const two = [jobRow('a', { name: 'mnist' }), running('b', { backend: 'pai', notebook: 'x.ipynb' })];

  test('by text', async () => {
    await mount(two);
    await set('Filter jobs', 'MNIST');
    expect(names()).toEqual(['mnist']);
  });

  test.each<[string, string]>([
    ['State', 'active'],
    ['Backend', 'pai'],
    ['Notebook', 'x.ipynb']
  ])('by %s', async (label, value) => {
    await mount(two);
    await set(label, value);
    expect(names()).toEqual(['iris-b']);
  });

  test('are not offered where there is nothing to choose from', async () => {
    await mount([jobRow('a')]);
    expect(all('select:not([hidden])').map(select => select.ariaLabel)).toEqual(['State', 'Sort by']);
  });

  test('that hide all jobs say so, and can be taken off', async () => {
    await mount(two);
    await set('Filter jobs', 'nothing');
    expect(text()).toContain('No matching jobs');
    button('Clear filters').click();
    await turns();
    expect(names()).toHaveLength(2);
  });

  test('that are no search say what is wrong with them', async () => {
    await mount(two);
    panel.list.problem = "there is no value or metric 'nosuch'; there are lr";
    await set('Filter jobs', 'nosuch<1');
    expect(text()).toContain("there is no value or metric 'nosuch'; there are lr");
    expect(text()).not.toContain('No matching jobs');
    button('Clear filters');
  });

  test('let go of chosen jobs that they hide', async () => {
    await mount(two);
    click('a');
    await set('Filter jobs', 'iris-b');
    expect(chosen()).toEqual([]);
  });
});

describe('choosing', () => {
  test('by mouse: one, a range, one more', async () => {
    await mount(jobRows(5));
    click('1');
    click('3', { shiftKey: true });
    expect(chosen()).toEqual(['1', '2', '3']);
    click('2', { ctrlKey: true });
    await turns();
    expect(chosen()).toEqual(['1', '3']);
    expect(row('3').getAttribute('aria-selected')).toBe('true');
    expect(text()).toContain('2 selected');
  });

  test('by keys: the first, a range, all, none', async () => {
    await mount(jobRows(5));
    list().focus();
    await press('ArrowDown');
    await press('ArrowDown', { shiftKey: true });
    expect(chosen()).toEqual(['0', '1']);
    expect(list().getAttribute('aria-activedescendant')).toBe(row('1').id);
    await press('a', { ctrlKey: true });
    expect(chosen()).toHaveLength(5);
    await press('Escape');
    expect(chosen()).toEqual([]);
  });

  test('the end of a long list brings it into view', async () => {
    await mount(jobRows(2_000));
    list().focus();
    await press('End');
    expect(list().getAttribute('aria-activedescendant')).toBe(row('1999').id);
  });

  test('a row that a menu is opened on, unless it is chosen with others', async () => {
    await mount(jobRows(5));
    click('1');
    click('2', { shiftKey: true });
    row('2').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true }));
    expect(chosen()).toEqual(['1', '2']);
    row('4').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true }));
    expect(chosen()).toEqual(['4']);
  });

  test('jobs that a command names, whatever filter hides them', async () => {
    await mount(jobRows(5));
    await set('Filter jobs', 'nothing');
    section.choose(['2', '3']);
    await turns();
    expect(chosen()).toEqual(['2', '3']);
  });

  test('tells whoever wants to know', async () => {
    await mount(jobRows(2));
    let count = 0;
    section.onChosen = () => (count += 1);
    click('1');
    expect(count).toBe(1);
  });
});

describe('what is done', () => {
  test('Enter and a double click open', async () => {
    await mount(jobRows(3));
    list().focus();
    await press('ArrowDown');
    await press('Enter');
    row('2').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    row('2').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    await turns();
    expect(panel.act.done).toEqual([
      ['open', '0'],
      ['open', '2']
    ]);
  });

  test('Stop asks first, names the jobs that run, and has the focus on the harmless answer', async () => {
    await mount([running('a'), running('b', { created: 1 }), jobRow('c')]);
    list().focus();
    await press('a', { ctrlKey: true });
    button('Stop').click();
    expect(text()).toContain('Stop iris-a, iris-b?');
    expect(document.activeElement).toBe(button('Keep running'));
    expect(panel.act.done).toEqual([]);
    button('Stop').click();
    await turns();
    expect(panel.act.done).toEqual([['stop', ['a', 'b']]]);
  });

  test('Delete asks first, and Escape keeps the job', async () => {
    await mount(jobRows(5));
    list().focus();
    await press('a', { ctrlKey: true });
    await press('Delete');
    expect(text()).toContain('Delete iris-0, iris-1, iris-2 and 2 more with all logs');
    await press('Escape');
    expect([panel.act.done, document.activeElement]).toEqual([[], list()]);
  });

  test('Delete of a job that runs does nothing', async () => {
    await mount([running('a')]);
    list().focus();
    await press('ArrowDown');
    await press('Delete');
    expect(all('.pj-JobView-question:not([hidden])')).toEqual([]);
  });

  test('is about the jobs that were chosen when it was asked', async () => {
    await mount(jobRows(3));
    click('0');
    const asked = section.act('remove');
    click('2');
    button('Delete').click();
    await asked;
    expect(panel.act.done).toEqual([['remove', ['0']]]);
  });

  test('is not asked any more when a filter hides one of them', async () => {
    await mount(jobRows(3));
    click('0');
    const asked = section.act('remove');
    await set('Filter jobs', 'iris-0');
    expect(text()).toContain('Delete iris-0');
    await set('Filter jobs', 'iris-1');
    await asked;
    expect([text().includes('Delete iris-0'), panel.act.done]).toEqual([false, []]);
  });

  test('has the rest in a menu', async () => {
    await mount([jobRow('a')]);
    click('a');
    button('More actions').click();
    expect(all('[role=menuitem]').map(item => item.textContent)).toEqual([
      'Rerun…',
      'Rerun as it was',
      'Clone to a new cell',
      'Go to cell',
      'Insert %pai_attach',
      'Open in a browser tab',
      'TensorBoard',
      'Add or remove star',
      'Edit name, tags and note…',
      'Report…',
      'Delete'
    ]);
    all('[role=menuitem]')[0]?.click();
    await turns();
    expect(panel.act.done).toEqual([['rerunForm', 'a']]);
  });

  test('that is refused says why, until something else is done', async () => {
    await mount([jobRow('a')]);
    click('a');
    panel.act.refusal = 'The disk is full.';
    button('Open').click();
    await turns();
    expect(all('[role=alert]')[0]?.textContent).toBe('The disk is full.');
    panel.act.refusal = '';
    button('Open').click();
    await turns();
    expect(text()).not.toContain('The disk is full.');
  });

  test('offers nothing of a job that is recorded elsewhere but to open or record it', async () => {
    await mount([running('a', { is_here: false })]);
    click('a');
    button('More actions').click();
    expect(all('[role=menuitem]').map(item => item.textContent)).toEqual(['Go to cell', 'Import']);
  });
});

describe('what there is to say', () => {
  test('where there are no jobs yet: what to type', async () => {
    await mount([]);
    expect(text()).toContain('Add %load_ext pai_jupyter and %%pai_train');
  });

  test('while the list is on its way', async () => {
    await mount([]);
    panel.list.isWhole = false;
    panel.list.tell();
    expect(text()).toContain('Loading…');
  });

  test('where the connection is lost: the rows stay', async () => {
    await mount([jobRow('a')]);
    panel.list.status = 'offline';
    panel.list.message = 'The server is too old.';
    panel.list.tell();
    expect(text()).toContain('The server is too old.');
    expect(names()).toEqual(['iris-a']);
  });

  test('what could not be listed', async () => {
    await mount([jobRow('a')]);
    panel.list.notes = ['PAI does not answer: <b>no</b>.'];
    panel.list.tell();
    expect(all('.pj-Panel-notes li').map(note => note.textContent)).toEqual(['PAI does not answer: <b>no</b>.']);
  });

  test('a list that could not be read is not called empty', async () => {
    await mount([]);
    panel.list.notes = ['the list of jobs cannot be read.'];
    panel.list.tell();
    expect(text()).not.toContain('No training jobs yet');
    expect(all('.pj-Panel-notes li').map(note => note.textContent)).toEqual(['the list of jobs cannot be read.']);
  });

  test('changes are announced to those who ask for it', async () => {
    await mount([running('a')]);
    panel.list.change(jobRow('a'));
    expect(panel.spoken).toEqual([]);
    button('Read aloud').click();
    panel.list.change(jobRow('a'), running('b'));
    panel.list.change(jobRow('b', { status: 'failed' }));
    expect(panel.spoken).toEqual(['iris-b: Running', 'iris-b: Failed']);
  });

  test('in 中文', async () => {
    await mount([running('a')], 'zh');
    click('a');
    await turns();
    expect(text()).toContain('已选 1 个');
    expect(button('停止')).toBeDefined();
  });
});

test('a section that is not shown listens to nothing, and its clock stands', async () => {
  await mount([running('a')]);
  vi.useFakeTimers();
  section.show(false);
  expect([panel.list.listenerCount, vi.getTimerCount()]).toEqual([0, 0]);
  section.show(true);
  section.show(true);
  expect(panel.list.listenerCount).toBe(1);
  section.dispose();
  expect([panel.list.listenerCount, vi.getTimerCount()]).toEqual([0, 0]);
  vi.useRealTimers();
});

test('nothing in it is hard to reach for those who do not see it', async () => {
  await mount([running('a', { progress: 0.5 }), jobRow('b', { metric: { name: 'loss', value: 1 } })]);
  click('a');
  await turns();
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null); // jsdom has none, and says so each time
  const { violations } = await axe.run(section.element, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(violation => violation.help)).toEqual([]);
});

describe('stars and tags', () => {
  test('a click on a star is about that job alone, and neither chooses nor opens it', async () => {
    await mount([jobRow('a'), jobRow('b')]);
    click('a');
    const star = row('b').querySelector('.pj-Panel-star');
    for (const type of ['click', 'dblclick']) {
      star?.dispatchEvent(new MouseEvent(type, { bubbles: true }));
    }
    await turns();
    expect(panel.act.done).toEqual([['star', ['b']]]);
    expect(chosen()).toEqual(['a']);
  });

  test('* and F2 are about the chosen jobs', async () => {
    await mount([jobRow('a'), jobRow('b')]);
    list().focus();
    await press('*');
    expect(panel.act.done).toEqual([]);
    await press('a', { ctrlKey: true });
    await press('*');
    await press('F2');
    expect(panel.act.done).toEqual([
      ['star', ['a', 'b']],
      ['annotate', ['a', 'b']]
    ]);
  });

  test('a refusal is said', async () => {
    await mount([jobRow('a')]);
    panel.act.refusal = 'The disk is full.';
    row('a')
      .querySelector('.pj-Panel-star')
      ?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await turns();
    expect(all('[role=alert]').map(one => one.textContent)).toContain('The disk is full.');
  });

  test('tags and stars can be filtered by as soon as a job has one', async () => {
    await mount([jobRow('a'), jobRow('b')]);
    expect([all('[aria-label=Tag]')[0]?.hidden, all('[aria-label="Only jobs with a star"]')[0]?.hidden]).toEqual([
      true,
      true
    ]);
    panel.list.change(jobRow('a', { tags: ['best'], is_starred: true }));
    await turns();
    await set('Tag', 'best');
    button('Only jobs with a star').click();
    await turns();
    expect(panel.list.selection.text).toBe('star:yes tag:best');
  });
});
