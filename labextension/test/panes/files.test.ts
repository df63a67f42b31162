// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { filesPane } from '../../src/panes/files.js';
import type { Pane } from '../../src/tokens.js';
import { keptAddresses } from '../blobs.js';
import { fakeContext, FakeSource, START } from '../fakes.js';
import { eventually } from '../turns.js';

let source: FakeSource;
let pane: Pane;
let living: ReadonlySet<string>;

const names = () => [...document.querySelectorAll('tbody th')].map(cell => cell.textContent);
const breadcrumb = () => [...document.querySelectorAll('nav li')].map(step => step.textContent);
const press = (label: string) =>
  [...document.querySelectorAll('button')].find(one => (one.ariaLabel ?? one.textContent) === label)?.click();
const says = (text: string) => eventually(() => expect(document.body.textContent).toContain(text));

async function open(...labels: string[]): Promise<void> {
  for (const label of labels) {
    await says(label);
    press(label);
  }
}

beforeEach(() => {
  source = new FakeSource();
  const weights = 'x'.repeat(3_000);
  source.files['model'] = { 'model.json': '{"a":[1]}', 'sub/deep/训练.txt': 'hello\n<b>', 'weights.bin': weights };
  living = keptAddresses();
  pane = filesPane(fakeContext(source));
  document.body.append(pane.element);
  pane.show(true);
});

afterEach(() => {
  pane.dispose();
  document.body.replaceChildren();
});

test('channels, directories and files are browsed, and the breadcrumb leads back', async () => {
  await open('model', 'sub/', 'deep/', '训练.txt');
  await says('hello');
  expect(document.querySelector('pre')?.textContent).toBe('hello\n<b>');
  expect(breadcrumb()).toEqual(['Channels', 'model', 'sub', 'deep', '训练.txt']);
  press('model');
  await says('weights.bin');
  expect(names()).toEqual(['sub/', 'model.json', 'weights.bin']);
  expect(document.querySelector('nav [aria-current]')?.textContent).toBe('model');
});

test('sizes are shown, directories come first', async () => {
  await open('model');
  await says('weights.bin');
  const rows = [...document.querySelectorAll('tbody tr')].map(row => row.children[1]?.textContent);
  expect(rows).toEqual(['', '9 B', '2.9 KB']);
});

test('a directory whose time nobody knows has none', async () => {
  source.answers.files = () => ({
    ok: {
      kind: 'directory',
      channel: 'model',
      path: '',
      is_cut: false,
      entries: [{ name: 'sub', is_directory: true, size: 0, modified: null }]
    }
  });
  await open('model');
  await says('sub/');
  expect(document.querySelector('tbody tr')?.textContent).toBe('sub/');
});

test('JSON is shown in order', async () => {
  await open('model', 'model.json');
  await eventually(() => expect(document.querySelector('pre')?.textContent).toBe('{\n  "a": [\n    1\n  ]\n}'));
});

test('a channel elsewhere has its note and is not opened', async () => {
  source.answers.files = () => ({
    ok: { kind: 'channels', channels: [{ name: 'out', uri: 'oss://b/out/', is_open: false, note: 'Lies in OSS.' }] }
  });
  press('Refresh');
  await says('Lies in OSS.');
  expect(document.querySelector('tbody button')).toBeNull();
});

describe('a picture', () => {
  beforeEach(async () => {
    const whole = source.files['model'] ?? {};
    whole['a.svg'] = '<svg onload="x"/>';
    await open('model', 'weights.bin');
    source.answers.files = asked =>
      'path' in asked && asked.path === 'a.svg'
        ? {
            ok: {
              kind: 'preview',
              channel: 'model',
              path: 'a.svg',
              size: 4,
              type: 'image',
              mime: 'image/svg+xml',
              text: '',
              is_cut: false
            },
            buffers: [new ArrayBuffer(4)]
          }
        : {
            ok: {
              kind: 'directory',
              channel: 'model',
              path: '',
              is_cut: true,
              entries: [{ name: 'a.svg', is_directory: false, size: 4, modified: START }]
            }
          };
    await open('model', 'a.svg');
    await eventually(() => expect(document.querySelector('img')).not.toBeNull());
  });

  test('is drawn as one, with its name', () => {
    expect(document.querySelector('img')?.alt).toBe('a.svg');
    expect(document.querySelector('svg')).toBeNull();
  });

  test('gives its memory back when something else is shown', async () => {
    expect(living.size).toBe(1);
    press('model');
    await says('Showing the first 1 entries');
    expect(living.size).toBe(0);
  });

  test('gives its memory back at the end', () => {
    pane.dispose();
    expect(living.size).toBe(0);
  });
});

describe('download', () => {
  test('is a link where the browser may fetch', async () => {
    source.address = '/api/files/model/model.json?a=1';
    await open('model');
    await eventually(() => expect(document.querySelectorAll('a[download]')).toHaveLength(2));
    const link = document.querySelector('a[download]');
    expect([link?.getAttribute('href'), link?.getAttribute('download')]).toEqual([source.address, 'model.json']);
  });

  test('fetches the bytes where it may not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const saved: string[] = [];
    const listen = (event: Event) => {
      event.preventDefault();
      saved.push((event.target as HTMLElement).getAttribute('download') ?? '');
    };
    document.body.addEventListener('click', listen);
    await open('model');
    await says('weights.bin');
    press('Download: weights.bin');
    await eventually(() => expect(saved.filter(Boolean)).toEqual(['weights.bin']));
    expect(living.size).toBe(1);
    vi.runAllTimers();
    expect(living.size).toBe(0);
    document.body.removeEventListener('click', listen);
    vi.useRealTimers();
  });

  test('that fails says why and leaves the list', async () => {
    await open('model');
    await says('weights.bin');
    source.refuse('files', 'The file is gone.');
    press('Download: weights.bin');
    await says('The file is gone.');
    expect(names()).toContain('weights.bin');
  });
});

test('a refusal keeps what was shown, and "Try again" goes where one wanted to go', async () => {
  await open('model');
  await says('sub/');
  source.refuse('files', 'The server is away.');
  press('sub/');
  await says('The server is away.');
  expect(names()).toContain('weights.bin');
  source.allow('files');
  press('Try again');
  await says('deep/');
  expect(document.body.textContent).not.toContain('The server is away.');
});

test('file names are text', async () => {
  source.files['<img src=x onerror=alert(1)>'] = { '"><script>alert(1)</script>': 'x' };
  press('Refresh');
  await says('<img src=x');
  press('<img src=x onerror=alert(1)>');
  await says('"><script>');
  expect(document.querySelector('img, script')).toBeNull();
});
