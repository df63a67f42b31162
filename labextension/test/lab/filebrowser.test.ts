import { expect, it } from 'vitest';

import { jobFile, saveChanges, selectedJobFile, shownFolder } from '../../src/lab/filebrowser.js';

type Shell = Parameters<typeof jobFile>[0];

const item = (path: string, type = 'file'): object => ({ path, type });
const browser = (isVisible: boolean, ...items: object[]): object => ({ isVisible, selectedItems: () => items });
const open = (path: string): object => ({ context: { path, model: { dirty: false } } });

function shell(left: object[], main: object[] = [], currentWidget: object | null = null): Shell {
  return { currentWidget, widgets: (area: string) => (area === 'left' ? left : main) } as unknown as Shell;
}

it.each([
  ['a.pai.json', 'a.pai.json'],
  ['w/训练.PAI.yaml', 'w/训练.PAI.yaml'],
  ['a.pai.yml', 'a.pai.yml'],
  ['a.json', null],
  ['pai.yaml', null],
  ['a.pai.json.txt', null]
])('what is selected is a job file by its name: %s', (path, found) => {
  expect(selectedJobFile(shell([{}, browser(true, item(path))]))).toBe(found);
});

it('several files, none, and a folder are no job file', () => {
  const [a, b] = [item('a.pai.json'), item('b.pai.json')];
  const selections = [[a, b], [], [item('a.pai.json', 'directory')]];
  expect(selections.map(items => selectedJobFile(shell([browser(true, ...items)])))).toEqual([null, null, null]);
  expect(selectedJobFile(shell([]))).toBeNull();
});

it('the file browser that is seen is meant, be it a tab', () => {
  const hidden = browser(false, item('a.pai.json'));
  expect(selectedJobFile(shell([hidden], [{ widgets: [browser(true, item('b.pai.json'))] }]))).toBe('b.pai.json');
  expect(selectedJobFile(shell([hidden]))).toBe('a.pai.json');
});

it.each([
  ['work/runs', 'work/runs'],
  ['', ''],
  ['RTC:work', 'work'],
  ['s3:bucket/work', '']
])('the folder that is shown is one of the server: %j', (path, folder) => {
  expect(shownFolder(shell([{ ...browser(true), model: { path } }]))).toBe(folder);
  expect(shownFolder(shell([browser(true)]))).toBe('');
});

it('a document in front comes before what is selected', () => {
  const left = [browser(true, item('a.pai.json'))];
  expect(jobFile(shell(left, [], open('b.pai.yaml')))).toBe('b.pai.yaml');
  expect(jobFile(shell(left, [], open('b.ipynb')))).toBe('a.pai.json');
  expect(jobFile(shell(left, [], {}))).toBe('a.pai.json');
});

it('what is open with changes is saved, and nothing else', async () => {
  const saved: string[] = [];
  const doc = (path: string, dirty: boolean): object => ({
    context: { path, model: { dirty }, save: async () => void saved.push(path) }
  });
  const main = [doc('a.pai.json', false), doc('b.pai.json', true), doc('c.pai.json', true), {}];
  await saveChanges(shell([], main), 'b.pai.json');
  await saveChanges(shell([], main), 'a.pai.json');
  expect(saved).toEqual(['b.pai.json']);
});
