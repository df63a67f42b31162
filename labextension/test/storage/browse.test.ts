// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { downloadLine } from '../../src/storage/toolbar.js';
import { eventually, turns } from '../turns.js';
import { Stage } from './files.js';

let stage: Stage;

beforeEach(() => {
  stage = new Stage();
  stage.rest.stored
    .set('oss://b/a.txt', 'hello')
    .set('oss://b/z/deep/训练.txt', 'x')
    .set('oss://b/b.json', '{}')
    .set('job:j1/model/w.bin', 'x'.repeat(3_000));
});

afterEach(() => stage.end());

test('nothing is asked before the section is shown', () => {
  expect(stage.rest.heard).toEqual([]);
});

test('places, directories and files are browsed', async () => {
  stage.section.show(true);
  await stage.open('oss://b/', 'oss://b/z/', 'oss://b/z/deep/');
  await stage.option('oss://b/z/deep/训练.txt');
  expect(stage.breadcrumb).toEqual(['Locations', 'oss://b', 'z', 'deep']);
});

test('the breadcrumb leads back', async () => {
  stage.section.show(true);
  await stage.open('oss://b/', 'oss://b/z/', 'oss://b/z/deep/');
  await stage.option('oss://b/z/deep/训练.txt');
  stage.press('oss://b');
  await stage.option('oss://b/a.txt');
  expect(stage.breadcrumb).toEqual(['Locations', 'oss://b']);
});

test('directories come first, and only files have a size', async () => {
  await stage.at('oss://b/');
  const [first = '', second = ''] = stage.entries;
  expect(first).toMatch(/^z\/ {2}\d{4}-/);
  expect(second).toMatch(/^a\.txt 5 B \d{4}-/);
});

test('an empty directory says so, and keeps the focus', async () => {
  await stage.at('oss://b/');
  stage.rest.stored.delete('oss://b/z/deep/训练.txt');
  stage.key('z');
  stage.key('Enter');
  await stage.says('No files');
  expect(document.activeElement).toBe(stage.list);
});

test('what could not be listed is said', async () => {
  stage.rest.notes = ['The bucket "x" refuses.'];
  stage.section.show(true);
  await stage.says('The bucket "x" refuses.');
});

test('a folder has no download, and the button says which line has', async () => {
  stage.rest.stored.set('hdfs://h/a b/c.txt', '');
  await stage.at('oss://b/');
  await stage.choose('oss://b/a.txt');
  await eventually(() => expect(stage.button('Download')?.disabled).toBe(false));
  expect(stage.button('Download')?.title).toBe('');
  await stage.choose('oss://b/z/');
  await eventually(() => expect(stage.button('Download')?.disabled).toBe(true));
  const line = '%pai_oss cp oss://b/z/ ./z/';
  expect(stage.button('Download')?.title).toBe(`Folders are downloaded in a notebook: ${line}`);
  stage.press('Locations');
  await stage.open('hdfs://h/');
  await stage.choose('hdfs://h/a b/');
  await eventually(() => expect(stage.button('Download')?.title).toContain("%pai_hdfs get 'hdfs://h/a b/' ./a-b/"));
});

test.each([
  ['job:j1/', '%pai_download j1'],
  ['job:j1/model/sub/', '%pai_download j1:model'],
  ['hdfs://h/{x}/', "%pai_hdfs get 'hdfs://h/{''x}/' './{''x}/'"],
  ['job:', ''],
  ['constructor:/a/', '']
])('the line that downloads %s is %j', (uri, line) => {
  const name = uri.split('/').at(-2) ?? 'jobs';
  expect(downloadLine([{ name, uri, is_directory: true, size: 0, modified: null }])).toBe(line);
});

test('the place that is entered is told', async () => {
  await stage.at('oss://b/');
  expect(stage.context.spoken.at(-1)).toBe('oss://b: 3 entries');
});

describe('by keys', () => {
  beforeEach(() => stage.at('oss://b/'));

  test('arrows choose, Enter opens, Backspace leads to the directory that one came from', async () => {
    stage.key('Home');
    stage.key('Enter');
    await stage.option('oss://b/z/deep/');
    expect(stage.key('Backspace').defaultPrevented).toBe(true);
    await stage.option('oss://b/a.txt');
    await eventually(() => expect(stage.chosen).toEqual(['oss://b/z/']));
  });

  test('so does Alt and the up arrow', async () => {
    stage.key('ArrowUp', { altKey: true });
    await eventually(() => expect(stage.breadcrumb).toEqual(['Locations']));
    expect(stage.key('Backspace').defaultPrevented).toBe(false);
  });

  test.each<[string[][], string[]]>([
    [[['ArrowDown'], ['ArrowDown']], ['a.txt']],
    [
      [['ArrowDown'], ['ArrowDown', 'shift']],
      ['z/', 'a.txt']
    ],
    [
      [['End'], ['Home', 'shift']],
      ['z/', 'a.txt', 'b.json']
    ],
    [
      [['ArrowDown'], ['ArrowDown', 'ctrl'], ['ArrowDown', 'ctrl'], [' ']],
      ['z/', 'b.json']
    ],
    [[['a', 'ctrl']], ['z/', 'a.txt', 'b.json']],
    [[['a', 'ctrl'], ['Escape']], []],
    [[['b']], ['b.json']],
    [[['b'], ['A']], ['a.txt']],
    [[['q']], []]
  ])('%j choose %j', async (keys, names) => {
    for (const [key = '', more = ''] of keys) {
      stage.key(key, { shiftKey: more === 'shift', ctrlKey: more === 'ctrl' });
    }
    await eventually(() => expect(stage.chosen).toEqual(names.map(name => `oss://b/${name}`)));
  });

  test('the entry that has them is told of', async () => {
    stage.key('ArrowDown');
    await eventually(() => {
      const active = stage.list?.getAttribute('aria-activedescendant') ?? '';
      expect(document.getElementById(active)?.dataset['row']).toBe('oss://b/z/');
    });
  });

  test('what means nothing here goes on to the notebook', () => {
    expect(stage.key('s', { ctrlKey: true }).defaultPrevented).toBe(false);
    expect(stage.key('F5').defaultPrevented).toBe(false);
  });
});

describe('a long listing', () => {
  beforeEach(() => {
    stage.rest.stored.clear();
    for (let at = 0; at < 2_500; at += 1) {
      stage.rest.stored.set(`oss://b/f${String(at).padStart(4, '0')}`, '');
    }
  });

  test('comes in parts, the next when the end of one is in sight', async () => {
    await stage.at('oss://b/');
    await stage.says('Showing the first 1000 entries');
    expect(stage.rest.heard.filter(one => one.includes('oss://b/'))).toEqual(['GET storage oss://b/']);
    for (const count of [2_000, 2_500]) {
      stage.key('End');
      await eventually(() => {
        const size = stage.element.querySelector('[role=option]')?.getAttribute('aria-setsize');
        expect(size).toBe(String(count));
      });
    }
    expect(stage.text).not.toContain('Only the first');
  });

  test('has only the entries in sight in the page', async () => {
    await stage.at('oss://b/');
    await stage.option('oss://b/f0000');
    expect(stage.entries.length).toBeLessThan(50);
  });

  test('is asked for each part once', async () => {
    await stage.at('oss://b/');
    await stage.option('oss://b/f0000');
    const go = stage.rest.hold('storage');
    for (const key of ['End', 'ArrowUp', 'End']) {
      stage.key(key);
      await turns(4); // it is drawn in between
    }
    go();
    await stage.says('Showing the first 2000 entries');
    expect(stage.rest.count('GET storage oss://b/ 1000')).toBe(1);
  });

  test('of very much keeps a part, and what is behind that comes in its place', async () => {
    for (let at = 0; at < 45_000; at += 1) {
      stage.rest.stored.set(`oss://b/f${String(at).padStart(5, '0')}`, '');
    }
    stage.rest.pageSize = 20_000;
    await stage.at('oss://b/');
    await stage.says('Showing the first 20000 entries');
    stage.key('End');
    await turns(4);
    expect(stage.rest.count('GET storage oss://b/ ')).toBe(0);
    stage.press('Show next entries');
    await stage.says('Showing entries 20001 to 40000');
    expect(document.activeElement).toBe(stage.list);
    stage.press('Show next entries');
    await stage.says('Showing entries 40001 to ');
    expect(stage.button('Show next entries')).toBeUndefined();
    stage.press('Refresh');
    await stage.says('Showing the first 20000 entries');
  });

  test('does not go on while one goes elsewhere', async () => {
    await stage.at('oss://b/');
    await stage.option('oss://b/f0000');
    const go = stage.rest.hold('storage');
    stage.press('Locations');
    stage.key('End');
    await turns(4); // it is drawn in between
    go();
    await eventually(() => expect(stage.breadcrumb).toEqual(['Locations']));
  });

  test('whose next part is refused keeps what there is, and can be tried again', async () => {
    await stage.at('oss://b/');
    await stage.option('oss://b/f0000');
    stage.rest.refuse('storage', 'The bucket is away.');
    stage.key('End');
    await stage.says('The bucket is away.');
    expect(stage.entries.length).toBeGreaterThan(0);
    stage.rest.allow('storage');
    stage.press('Try again');
    await stage.says('Showing the first 2000 entries');
  });
});

test('a refusal keeps what was shown, breadcrumb and list, and "Try again" goes where one wanted to go', async () => {
  await stage.at('oss://b/');
  stage.rest.refuse('storage', 'No such bucket.');
  await stage.open('oss://b/z/');
  await stage.says('No such bucket.');
  expect(stage.breadcrumb).toEqual(['Locations', 'oss://b']);
  await stage.option('oss://b/a.txt');
  stage.rest.allow('storage');
  stage.press('Try again');
  await stage.option('oss://b/z/deep/');
});

test('the place that was asked for last is shown, whichever answer comes last', async () => {
  await stage.at('oss://b/');
  const go = stage.rest.hold('storage');
  await stage.open('oss://b/z/');
  stage.press('Locations');
  go();
  await eventually(() => expect(stage.breadcrumb).toEqual(['Locations']));
  await stage.option('job:j1/');
});

describe('an address typed in', () => {
  const go = (address: string): void => {
    stage.press('Go to…');
    const box = stage.element.querySelector<HTMLInputElement>('input[type=text]');
    if (box) {
      box.value = address;
      box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    }
  };

  test('is gone to', async () => {
    await stage.at('oss://b/');
    go(' job:j1/model/ ');
    await stage.option('job:j1/model/w.bin');
    expect(stage.breadcrumb).toEqual(['Locations', 'Jobs', 'j1', 'model']);
  });

  test('has to be one', async () => {
    await stage.at('oss://b/');
    go('  ');
    await stage.says('Type an address.');
    stage.press('Cancel');
    expect(stage.text).not.toContain('Type an address.');
    expect(document.activeElement).toBe(stage.button('Go to…'));
  });
});

test('names are text, and look like what they are', async () => {
  stage.rest.stored.set('oss://b/<img src=x>\u202egnp.exe', '');
  await stage.at('oss://b/');
  await stage.says('<img src=x>');
  expect(stage.element.querySelector('img')).toBeNull();
  expect(stage.text).not.toContain('\u202e');
});
