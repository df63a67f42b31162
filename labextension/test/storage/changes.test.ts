// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { eventually } from '../turns.js';
import { drop, file, Stage } from './files.js';

let stage: Stage;

const stored = () => [...stage.rest.stored.keys()].sort();
const asked = (method: string) => stage.rest.heard.filter(one => one.startsWith(method));
const uploads = () => [...stage.element.querySelectorAll('ul[aria-label=Uploads] li')].map(one => one.textContent);

beforeEach(async () => {
  stage = new Stage();
  stage.rest.stored.set('oss://b/a.txt', 'hello').set('oss://b/z/1', 'x').set('oss://b/z/deep/2', 'y');
  await stage.at('oss://b/');
});

afterEach(() => stage.end());

describe('a file that is dropped', () => {
  test('goes to where it was dropped, and is listed', async () => {
    const event = drop(stage.element, [file('训练 1.txt', 3)]);
    expect(event.defaultPrevented).toBe(true);
    await stage.option('oss://b/训练 1.txt');
    expect(stage.rest.stored.get('oss://b/训练 1.txt')).toBe('xxx');
    expect(stage.rest.count('GET storage/preview')).toBe(0); // all that is there is listed
    expect(stage.context.spoken).toContain('Uploaded: 训练 1.txt');
    expect(uploads()).toEqual([]);
  });

  test('goes there even while the user goes on', async () => {
    const go = stage.rest.hold('storage/file');
    drop(stage.element, [file('n.txt')]);
    await stage.open('oss://b/z/');
    await stage.option('oss://b/z/1');
    go();
    await eventually(() => expect(stored()).toContain('oss://b/n.txt'));
    expect(stage.entries.join()).not.toContain('n.txt');
  });

  test('tells how far it is', async () => {
    stage.rest.hold('storage/file');
    drop(stage.element, [file('n.txt', 2_048)]);
    await stage.says('n.txt · 1 KB / 2 KB');
    expect(stage.element.querySelector('progress')?.value).toBe(0.5);
  });

  test('never gets to the browser, even where it cannot be taken', async () => {
    stage.press('Locations');
    await stage.option('oss://b/');
    expect(drop(stage.element, [file('n.txt')]).defaultPrevented).toBe(true);
    expect(asked('PUT')).toEqual([]);
    expect(stage.button('Upload')?.hidden).toBe(true);
  });

  test('is refused where nothing can be called so, beside others that come', async () => {
    drop(stage.element, [file('a\tb'), file('n.txt')]);
    await stage.says('Not uploaded: a b. Rename it');
    await stage.option('oss://b/n.txt');
    expect(asked('PUT')).toEqual(['PUT storage/file oss://b/n.txt']);
  });
});

describe('a folder that is dropped', () => {
  test('goes with all that is in it, and is listed', async () => {
    const go = stage.rest.hold('storage/file');
    drop(stage.element, [file('dir'), file('n.txt')], { dir: { a: 1, 'b 训练': { c: 2, d: 3 } } });
    await stage.says('dir/b 训练/d: waiting');
    go();
    await stage.option('oss://b/dir/');
    await eventually(() => expect(asked('PUT')).toHaveLength(4));
    await eventually(() => expect(uploads()).toEqual([]));
    expect(stored()).toEqual(expect.arrayContaining(['oss://b/dir/a', 'oss://b/dir/b 训练/c', 'oss://b/dir/b 训练/d']));
    expect(stage.entries.filter(one => one?.includes('dir'))).toHaveLength(1);
    expect(asked('GET storage oss://b/dir/')).toEqual([]); // it was not there
  });

  test('with nothing in it is made', async () => {
    drop(stage.element, [file('dir')], { dir: { sub: {} } });
    await eventually(() => expect(asked('POST')).toEqual(['POST storage/folder oss://b/dir/sub/']));
    expect(asked('PUT')).toEqual([]);
  });

  test('replaces only what one says', async () => {
    drop(stage.element, [file('z')], { z: { 1: 3, n: 4, deep: { 2: 5 } } });
    await stage.says('z/1, z/deep/2 already exists. Replace?');
    stage.press('Keep');
    await eventually(() => expect(stage.rest.stored.get('oss://b/z/n')).toBe('xxxx'));
    expect(['oss://b/z/1', 'oss://b/z/deep/2'].map(uri => stage.rest.stored.get(uri))).toEqual(['x', 'y']);
  });
});

test('files that are picked are uploaded one after another', async () => {
  const picker = stage.element.querySelector<HTMLInputElement>('input[type=file]');
  Object.defineProperty(picker, 'files', { value: [file('1'), file('2')] });
  const go = stage.rest.hold('storage/file');
  picker?.dispatchEvent(new Event('change'));
  await stage.says('2: waiting');
  expect(asked('PUT')).toEqual(['PUT storage/file oss://b/1']);
  go();
  await stage.option('oss://b/2');
  expect(asked('PUT')).toHaveLength(2);
});

describe('an upload', () => {
  test('is cancelled, and the next goes on', async () => {
    const go = stage.rest.hold('storage/file');
    drop(stage.element, [file('1'), file('2'), file('3')]);
    await stage.says('3: waiting');
    stage.press('Cancel: 1');
    stage.press('Cancel: 3');
    await eventually(() => expect(asked('PUT')).toHaveLength(2));
    go();
    await stage.option('oss://b/2');
    expect(uploads()).toEqual([]);
    expect(asked('PUT').map(one => one.at(-1))).toEqual(['1', '2']);
  });

  test('that fails stays with the reason, the others go on; it is tried again', async () => {
    stage.rest.refuse('storage/file', 'The disk is full.');
    drop(stage.element, [file('1')]);
    await stage.says('1: The disk is full.');
    stage.rest.allow('storage/file');
    drop(stage.element, [file('2')]);
    await stage.option('oss://b/2');
    stage.press('Try again');
    await stage.option('oss://b/1');
    expect(uploads()).toEqual([]);
  });

  test('that failed is put aside', async () => {
    stage.rest.refuse('storage/file', 'The disk is full.');
    drop(stage.element, [file('1')]);
    await stage.says('The disk is full.');
    stage.press('Dismiss: 1');
    expect(uploads()).toEqual([]);
  });

  test('ends with the section', async () => {
    const go = stage.rest.hold('storage/file');
    drop(stage.element, [file('1'), file('2')]);
    await stage.says('2: waiting');
    stage.section.dispose();
    go();
    await new Promise(resolve => setTimeout(resolve));
    expect(stored()).not.toContain('oss://b/1');
    expect(asked('PUT')).toHaveLength(1);
  });
});

describe('a file that is there already', () => {
  beforeEach(async () => {
    drop(stage.element, [file('a.txt', 1), file('n.txt')]);
    await stage.says('a.txt already exists. Replace?');
  });

  test('is replaced only when one says so', async () => {
    expect(document.activeElement?.textContent).toBe('Keep');
    stage.press('Replace');
    await eventually(() => expect(stage.rest.stored.get('oss://b/a.txt')).toBe('x'));
    await stage.option('oss://b/n.txt');
    expect(stage.entries.filter(one => one?.startsWith('a.txt'))).toHaveLength(1);
  });

  test('is kept, and the others come', async () => {
    stage.press('Keep');
    await stage.option('oss://b/n.txt');
    expect(stage.rest.stored.get('oss://b/a.txt')).toBe('hello');
  });
});

test('a file that somebody else has put there meanwhile is not replaced unasked', async () => {
  stage.rest.stored.set('oss://b/n.txt', 'of somebody else');
  drop(stage.element, [file('n.txt')]);
  await stage.says('n.txt already exists. Replace?');
});

test('a file that is on its way is not replaced unasked', async () => {
  stage.rest.hold('storage/file');
  drop(stage.element, [file('n.txt')]);
  await stage.says('n.txt · ');
  drop(stage.element, [file('n.txt')]);
  await stage.says('n.txt already exists. Replace?');
});

test('of two files of one name that come together, the second is asked about', async () => {
  drop(stage.element, [file('n.txt', 1), file('n.txt', 2)]);
  await stage.says('n.txt already exists. Replace?');
  stage.press('Keep');
  await stage.option('oss://b/n.txt');
  expect(stage.rest.stored.get('oss://b/n.txt')).toBe('x');
});

test('of a directory that is not wholly listed, the server is asked what is there', async () => {
  for (let at = 0; at < 100; at += 1) {
    stage.rest.stored.set(`oss://b/f${at}`, 'old');
  }
  stage.rest.pageSize = 60;
  stage.press('Refresh');
  await stage.says('Showing the first 60 entries');
  drop(stage.element, [file('f99'), file('n.txt')]);
  await stage.says('f99 already exists. Replace?');
  stage.press('Keep');
  await eventually(() => expect(stored()).toContain('oss://b/n.txt'));
  expect(stage.rest.stored.get('oss://b/f99')).toBe('old');
});

describe('a new folder', () => {
  const type = (name: string): void => {
    stage.press('New folder');
    const box = stage.element.querySelector<HTMLInputElement>('input[type=text]');
    if (box) {
      box.value = name;
    }
    stage.press('Create');
  };

  test('is made here, and listed', async () => {
    type(' 新 a ');
    await stage.option('oss://b/新 a/');
  });

  test.each(['', '..', 'a/b'])('cannot be called %j', async name => {
    type(name);
    await stage.says('name');
    expect(asked('POST')).toEqual([]);
    expect(stage.element.querySelector('[aria-invalid=true]')).not.toBeNull();
  });

  test('that is refused says why', async () => {
    stage.rest.refuse('storage/folder', 'It is there already.');
    type('z');
    await stage.says('It is there already.');
  });
});

describe('Delete', () => {
  test('says what and how many, and asks with the focus on the harmless answer', async () => {
    stage.key('a', { ctrlKey: true });
    stage.key('Delete');
    await stage.says('Delete z/, a.txt? In all 3 files, 7 B. This cannot be undone.');
    expect(document.activeElement?.textContent).toBe('Keep');
    expect(asked('DELETE')).toEqual([]);
  });

  test('takes a directory with all in it, and looks again', async () => {
    await stage.choose('oss://b/z/');
    stage.press('Delete');
    await stage.says('2 files');
    stage.element.querySelector<HTMLButtonElement>('.pj-JobView-danger')?.click();
    await stage.says('Deleted 2 files');
    await eventually(() => expect(stage.entries).toHaveLength(1));
    expect(stored()).toEqual(['oss://b/a.txt']);
    expect(document.activeElement).toBe(stage.list);
  });

  test('does nothing when one thinks better of it', async () => {
    await stage.choose('oss://b/a.txt');
    stage.press('Delete');
    await stage.says('This cannot be undone.');
    stage.press('Keep');
    expect(asked('DELETE')).toEqual([]);
    expect(stored()).toHaveLength(3);
  });

  test('is of what was chosen when it was pressed', async () => {
    await stage.choose('oss://b/a.txt');
    stage.press('Delete');
    await stage.says('This cannot be undone.');
    await stage.choose('oss://b/z/');
    stage.element.querySelector<HTMLButtonElement>('.pj-JobView-danger')?.click();
    await stage.says('Deleted 1 file');
    expect(stored()).toEqual(['oss://b/z/1', 'oss://b/z/deep/2']);
  });

  test('ends after the entry that it is at when it is cancelled', async () => {
    stage.key('a', { ctrlKey: true });
    stage.press('Delete');
    await stage.says('This cannot be undone.');
    const go = stage.rest.hold('storage');
    stage.element.querySelector<HTMLButtonElement>('.pj-JobView-danger')?.click();
    await stage.says('Deleting z');
    stage.press('Cancel: Deleting…');
    go();
    await stage.says('Deleted 2 files');
    expect(stored()).toEqual(['oss://b/a.txt']);
  });

  test('that is refused says why, and what is left is listed', async () => {
    await stage.choose('oss://b/a.txt');
    stage.press('Delete');
    await stage.says('This cannot be undone.');
    stage.rest.refuse('storage', 'The job still runs.');
    stage.element.querySelector<HTMLButtonElement>('.pj-JobView-danger')?.click();
    await stage.says('The job still runs.');
    expect(stage.element.querySelector('progress')).toBeNull();
  });

  test('closes what is looked at', async () => {
    await stage.open('oss://b/a.txt');
    await stage.says('hello');
    stage.key('Delete');
    await stage.says('This cannot be undone.');
    stage.element.querySelector<HTMLButtonElement>('.pj-JobView-danger')?.click();
    await stage.says('Deleted 1 file');
    expect(stage.text).not.toContain('hello');
  });

  test('of very much says that there is more', async () => {
    for (let at = 0; at < 30; at += 1) {
      stage.rest.stored.set(`oss://b/z/d${at}/x`, 'x');
    }
    await stage.choose('oss://b/z/');
    stage.press('Delete');
    await stage.says('In all more than');
  });

  test('is not offered where nothing can be deleted', async () => {
    stage.rest.canDelete = false;
    stage.press('Refresh');
    await eventually(() => expect(stage.button('Delete')?.hidden).toBe(true));
    stage.key('a', { ctrlKey: true });
    stage.key('Delete');
    expect(stage.text).not.toContain('Counting');
  });
});
