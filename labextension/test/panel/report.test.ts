// @vitest-environment jsdom
/** The form of a report: what is asked of the server, and what is said where a file is there already. */

import axe from 'axe-core';
import { afterEach, expect, test } from 'vitest';

import type { OpenableForm, OpenForm } from '../../src/panel/openform.js';
import { askReport } from '../../src/panel/report.js';
import { panelSay } from '../../src/panel/translation.js';
import { RequestError } from '../../src/wire/protocol.js';

interface Opened {
  readonly form: OpenableForm<unknown>;
  readonly title: string;
  readonly sent: unknown[];
  /** Files that are there. */
  readonly files: Set<string>;
}

async function open(folder: string, ids: readonly string[] = ['a', 'b']): Promise<Opened> {
  const [sent, files]: [unknown[], Set<string>] = [[], new Set()];
  return new Promise(resolve => {
    const openForm: OpenForm = (title, form) => {
      document.body.replaceChildren(form.element);
      resolve({ form, title, sent, files });
      return Promise.resolve(null);
    };
    const post = async <T>(address: string, body?: object): Promise<T> => {
      const { path, replace } = body as { path: string; replace: boolean };
      if (path.includes('?')) {
        throw new RequestError('the report cannot be written.', 'SpecError');
      }
      sent.push([address, body]);
      return { path, is_written: replace || !files.has(path), notes: [] } as T;
    };
    void askReport(ids, { say: panelSay('en'), rest: { post }, openForm, folder });
  });
}

function control(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find(one => one.textContent === label);
  return (found?.htmlFor ? document.getElementById(found.htmlFor) : found?.querySelector('input')) as HTMLInputElement;
}

function set(label: string, text: string): void {
  control(label).value = text;
  control(label).dispatchEvent(new Event('input', { bubbles: true }));
}

afterEach(() => document.body.replaceChildren());

test('a page named report lies in the folder of the file browser', async () => {
  const { form, title, sent } = await open('work');
  expect([title, form.isChanged]).toEqual(['Report of 2 jobs', false]);
  expect(document.body.textContent).toContain('In the folder work');
  expect(await form.submit('write')).toBe('work/report.html');
  expect(sent).toEqual([['report', { jobs: ['a', 'b'], path: 'work/report.html', title: '', replace: false }]]);
});

test('a notebook has its ending, whatever was typed', async () => {
  const { form, title, sent } = await open('', ['a']);
  set('Report as', '.ipynb');
  set('File name', ' best.html ');
  set('Title', ' Best ');
  expect([title, form.isChanged, form.refusal('write')]).toEqual(['Report of 1 job', true, '']);
  expect(await form.submit('write')).toBe('best.ipynb');
  expect(sent).toEqual([['report', { jobs: ['a'], path: 'best.ipynb', title: 'Best', replace: false }]]);
  set('File name', '.html');
  expect(form.refusal('write')).toBe('Enter a file name');
});

test('a file that is there is replaced only when somebody has said so for this very file', async () => {
  const { form, files } = await open('');
  files.add('report.html').add('other.html');
  const isOffered = (): boolean => control('Replace the file').closest('label')?.hidden === false;
  expect(isOffered()).toBe(false);
  expect(await form.submit('write')).toBeNull();
  expect(document.querySelector('[role=alert]')?.isConnected).toBe(true);
  expect(document.body.textContent).toContain('report.html is there already.');
  expect(isOffered()).toBe(true);
  control('Replace the file').click();
  set('File name', 'other');
  expect([isOffered(), document.body.textContent?.includes('is there already')]).toEqual([false, false]);
  expect(await form.submit('write')).toBeNull();
  control('Replace the file').click();
  expect(await form.submit('write')).toBe('other.html');
});

test('what the server refuses is said, and the form stays', async () => {
  const { form } = await open('');
  set('File name', 'what?');
  expect(await form.submit('write')).toBeNull();
  expect(document.body.textContent).toContain('the report cannot be written.');
});

test('has a name for every control', async () => {
  await open('work');
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
  expect(violations.map(({ id }) => id)).toEqual([]);
});
