// @vitest-environment jsdom
import axe from 'axe-core';
import { afterEach, expect, test } from 'vitest';

import type { ActionJob } from '../../src/panel/actions.js';
import { editAnnotations } from '../../src/panel/annotations.js';
import type { OpenableForm, OpenForm } from '../../src/panel/openform.js';
import type { AnnotationsAnswer, JobRow } from '../../src/panel/protocol.js';
import { panelSay } from '../../src/panel/translation.js';
import { RequestError } from '../../src/wire/protocol.js';
import { FakeList, jobRow } from './rows.js';

const KNOWN: AnnotationsAnswer = {
  name: '',
  recorded_name: 'iris-1',
  is_starred: false,
  tags: ['best', 'paper'],
  note: 'line 1\nline 2'
};

interface Opened {
  readonly form: OpenableForm<unknown>;
  readonly title: string;
  readonly sent: [string, unknown][];
  refusal: string;
}

/** The form for these jobs, in the page. */
async function open(ids: readonly string[], ...rows: JobRow[]): Promise<Opened> {
  const known = new Map(rows.map(row => [row.id, row]));
  return openWith(
    ids.map(id => known.get(id) ?? { id }),
    new FakeList(...rows)
  );
}

async function openWith(jobs: readonly ActionJob[], list: FakeList): Promise<Opened> {
  const sent: [string, unknown][] = [];
  return new Promise(resolve => {
    const opened = { sent, refusal: '' };
    const openForm: OpenForm = (title, form) => {
      document.body.replaceChildren(form.element);
      resolve(Object.assign(opened, { form, title }));
      return Promise.resolve(null);
    };
    const rest = {
      get: async <T>(): Promise<T> => KNOWN as T,
      patch: async <T>(path: string, body: object): Promise<T> => {
        if (opened.refusal) {
          throw new RequestError(opened.refusal, 'SpecError');
        }
        sent.push([path, body]);
        return {} as T;
      }
    };
    void editAnnotations(jobs, { say: panelSay('en'), rest, list, openForm });
  });
}

function control(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find(one => one.textContent === label);
  const at = found?.htmlFor ? document.getElementById(found.htmlFor) : found?.querySelector('input');
  return at as HTMLInputElement;
}

function type(label: string, text: string): void {
  control(label).value = text;
  control(label).dispatchEvent(new Event('input', { bubbles: true }));
}

afterEach(() => document.body.replaceChildren());

test('a job is shown as it is, and nothing is sent where nothing was changed', async () => {
  const { form, title, sent } = await open(['a']);
  expect(title).toBe('Name, tags and note of iris-1');
  expect(['Name', 'Tags', 'Note on the job'].map(label => control(label).value)).toEqual([
    '',
    'best paper',
    'line 1\nline 2'
  ]);
  expect(control('Name').placeholder).toBe('iris-1');
  expect(form.isChanged).toBe(false);
  expect(await form.submit('save')).toBe(true);
  expect(sent).toEqual([]);
});

test('only what was changed is sent', async () => {
  const { form, sent } = await open(['a']);
  type('Tags', ' paper,  last last');
  control('Star').click();
  expect(form.isChanged).toBe(true);
  await form.submit('save');
  expect(sent).toEqual([['jobs/a/annotations', { is_starred: true, add: ['last'], remove: ['best'] }]]);
});

test('name and note are sent as they are typed, and taken back by nothing', async () => {
  const { form, sent } = await open(['a']);
  type('Name', ' base line ');
  type('Note on the job', '');
  await form.submit('save');
  expect(sent[0]?.[1]).toEqual({ name: 'base line', note: '', add: [], remove: [] });
});

test('known tags are a press away, those of most jobs first', async () => {
  const rows = [jobRow('b', { tags: ['rare', 'often'] }), jobRow('c', { tags: ['often'] })];
  const { form, sent } = await open(['a'], ...rows);
  const buttons = [...document.querySelectorAll<HTMLElement>('[role=group] button')];
  expect(buttons.map(button => button.textContent)).toEqual(['often', 'rare']);
  buttons[0]?.click();
  expect(form.isChanged).toBe(true);
  await form.submit('save');
  expect(sent[0]?.[1]).toEqual({ add: ['often'], remove: [] });
});

test('of several jobs tags are added and removed for all, and the star only where it was set', async () => {
  const rows = [jobRow('a', { is_starred: true }), jobRow('b', { tags: ['old'] })];
  const { form, title, sent } = await open(['a', 'b'], ...rows);
  expect(title).toBe('Tags of 2 jobs');
  expect([control('Name') ?? null, control('Star').indeterminate]).toEqual([null, true]);
  type('Add tags', 'new');
  type('Remove tags', 'old');
  await form.submit('save');
  expect(sent).toEqual(['a', 'b'].map(id => [`jobs/${id}/annotations`, { add: ['new'], remove: ['old'] }]));
  control('Star').click();
  await form.submit('save');
  expect(sent.at(-1)?.[1]).toMatchObject({ is_starred: true });
});

test('the jobs say how they are starred and tagged, whatever the list of the panel knows', async () => {
  const jobs = [jobRow('a', { tags: ['own'] }), jobRow('b', { is_starred: true })];
  await openWith(jobs, new FakeList());
  expect([control('Star').checked, control('Star').indeterminate]).toEqual([false, true]);
  const offers = [...document.querySelectorAll<HTMLElement>('[role=group]')];
  expect(offers.map(offer => offer.textContent)).toEqual(['own', 'own']); // to add, and to remove
  await openWith([{ id: 'a' }, { id: 'b' }], new FakeList());
  expect(control('Star').checked).toBe(false);
});

test('what the server refuses is said, and the form stays', async () => {
  const opened = await open(['a']);
  opened.refusal = "the tag 'a:b' has : in it.";
  type('Tags', 'a:b');
  expect(await opened.form.submit('save')).toBeNull();
  expect(document.body.textContent).toContain("the tag 'a:b' has : in it.");
});

test('has a name for every control', async () => {
  await open(['a'], jobRow('b', { tags: ['best'] }));
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
  expect(violations.map(({ id }) => id)).toEqual([]);
});
