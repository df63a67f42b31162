// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from 'vitest';

import { keptAddresses } from '../blobs.js';
import { eventually } from '../turns.js';
import { Stage } from './files.js';

let stage: Stage;
let living: ReadonlySet<string>;

const look = () => stage.element.querySelector<HTMLElement>('[role=region]');

beforeEach(async () => {
  living = keptAddresses();
  stage = new Stage();
  stage.rest.stored
    .set('oss://b/a b&.txt', 'hello\n<b>bold</b>')
    .set('oss://b/p.png', 'x')
    .set('oss://b/w.bin', 'x'.repeat(2_048));
  await stage.at('oss://b/');
});

afterEach(() => stage.end());

test('a text is shown as it is', async () => {
  await stage.open('oss://b/a b&.txt');
  await eventually(() => expect(look()?.querySelector('pre')?.textContent).toBe('hello\n<b>bold</b>'));
  expect(look()?.querySelector('b')).toBeNull();
});

test('what is looked at is closed when one goes elsewhere', async () => {
  await stage.open('oss://b/w.bin');
  await stage.says('No preview available for this file type');
  stage.press('Locations');
  await stage.option('oss://b/');
  expect(look()?.hidden).toBe(true);
});

test('a binary file has its size only', async () => {
  await stage.open('oss://b/w.bin');
  await stage.says('No preview available for this file type');
  expect(look()?.textContent).toContain('2 KB');
});

test('a picture is drawn, and gives its memory back when another is looked at', async () => {
  await stage.open('oss://b/p.png');
  await eventually(() => expect(look()?.querySelector('img')?.alt).toBe('p.png'));
  expect(living.size).toBe(1);
  await stage.open('oss://b/w.bin');
  await stage.says('No preview available for this file type');
  expect(living.size).toBe(0);
});

test('a picture gives its memory back at the end', async () => {
  await stage.open('oss://b/p.png');
  await eventually(() => expect(living.size).toBe(1));
  stage.section.dispose();
  expect(living.size).toBe(0);
});

test('it is downloaded by the browser, under a name that every file system takes', async () => {
  await stage.open('oss://b/a b&.txt');
  const link = await eventually(() => {
    const found = look()?.querySelector('a[download]');
    expect(found).not.toBeNull();
    return found;
  });
  expect(link?.getAttribute('href')).toBe('/api/storage/file?uri=oss%3A%2F%2Fb%2Fa+b%26.txt');
  expect(link?.getAttribute('download')).toBe('a-b&.txt');
});

test('Escape closes it, and the focus goes to the list', async () => {
  await stage.open('oss://b/w.bin');
  await stage.says('No preview available for this file type');
  look()
    ?.querySelector('button')
    ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(look()?.hidden).toBe(true);
  expect(document.activeElement).toBe(stage.list);
});

test('a preview that is refused says why', async () => {
  stage.rest.refuse('storage/preview', 'It has gone.');
  await stage.open('oss://b/w.bin');
  await stage.says('It has gone.');
});

test('the chosen files are downloaded together; a directory among them cannot be', async () => {
  stage.rest.stored.set('oss://b/z/x', '');
  const saved: (string | null)[] = [];
  const listen = (event: Event): void => {
    event.preventDefault();
    saved.push((event.target as HTMLElement).getAttribute('href'));
  };
  stage.press('Refresh');
  await stage.option('oss://b/z/');
  stage.key('a', { ctrlKey: true });
  expect(stage.button('Download')?.disabled).toBe(true);
  await stage.choose('oss://b/p.png');
  await stage.choose('oss://b/w.bin', { shiftKey: true });
  document.body.addEventListener('click', listen);
  stage.press('Download');
  document.body.removeEventListener('click', listen);
  expect(saved.filter(Boolean)).toEqual([
    '/api/storage/file?uri=oss%3A%2F%2Fb%2Fp.png',
    '/api/storage/file?uri=oss%3A%2F%2Fb%2Fw.bin'
  ]);
});
