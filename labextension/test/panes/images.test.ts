// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { filesPane } from '../../src/panes/files.js';
import type { Answers, Pane } from '../../src/tokens.js';
import { keptAddresses } from '../blobs.js';
import { fakeContext, FakeSource } from '../fakes.js';
import { eventually } from '../turns.js';

let source: FakeSource;
let pane: Pane;
let living: ReadonlySet<string>;
let names: string[];
let mime: string;
const openLog = vi.fn();
let asked: { channel?: string; path?: string; preview?: boolean }[];

const entry = (name: string) => ({ name, is_directory: false, size: 3, modified: null });
const pictures = () => [...document.querySelectorAll<HTMLImageElement>('.pj-JobView-images img')];
const press = (label: string) => document.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.click();

beforeEach(() => {
  names = ['image-0001.png', 'rank2-image-0001.png'];
  mime = 'image/png';
  openLog.mockClear();
  living = keptAddresses();
  source = new FakeSource();
  const channels = ['model', 'tensorboard'].map(name => ({ name, uri: `/x/${name}`, is_open: true, note: '' }));
  asked = [];
  source.answers.files = parameters => {
    const given = parameters as (typeof asked)[number];
    const { channel, path = '', preview } = given;
    asked.push(given);
    if (channel === undefined) {
      return { ok: { kind: 'channels', channels } };
    }
    if (preview) {
      const type = mime.startsWith('image/') ? 'image' : 'text';
      const shown = { size: 3, type, mime, text: '<svg onload=x>', is_cut: false } as const;
      const ok: Answers['files'] = { kind: 'preview', channel, path, ...shown };
      return { ok, buffers: type === 'image' ? [new ArrayBuffer(3)] : [] };
    }
    return { ok: { kind: 'directory', channel, path, is_cut: false, entries: names.map(entry) } };
  };
  document.body.replaceChildren();
});

afterEach(() => pane.dispose());

function show(): void {
  pane = filesPane({ ...fakeContext(source), openLog });
  document.body.append(pane.element);
  pane.show(true);
}

test('pictures of the job are shown, each with its place in the log', async () => {
  show();
  await eventually(() => expect(pictures()).toHaveLength(2));
  expect(pictures().map(({ alt }) => alt)).toEqual(names);
  press('Show in log: rank2-image-0001.png');
  expect(openLog).toHaveBeenLastCalledWith('pai_images/rank2-image-0001.png', 2);
  press('Show in log: image-0001.png');
  expect(openLog).toHaveBeenLastCalledWith('pai_images/image-0001.png', 0);
  pictures()[0]?.closest('button')?.click();
  await eventually(() => expect(document.querySelector('h3')?.textContent).toBe('image-0001.png'));
  expect(living.size).toBe(1); // of the picture in full
  pane.dispose();
  expect(living.size).toBe(0);
});

test('a job without pictures has no part for them', async () => {
  names = [];
  show();
  await eventually(() => expect(document.body.textContent).toContain('model'));
  expect(document.querySelector<HTMLElement>('.pj-JobView-images')?.hidden).toBe(true);
});

test('other names, and what is no picture, are not shown', async () => {
  names = ['../image-0001.png', 'image-0001.svg', 'image-1.png', 'x<img src=x>image-0001.png'];
  show();
  await eventually(() => expect(asked.some(({ path }) => path === 'pai_images')).toBe(true));
  expect(pictures()).toHaveLength(0);
  pane.dispose();
  names = ['image-0001.png'];
  mime = 'text/plain';
  document.body.replaceChildren();
  show();
  await eventually(() => expect(asked.some(({ preview }) => preview)).toBe(true));
  expect(document.querySelector('svg, .pj-JobView-images img')).toBeNull();
});

test('many pictures come in steps', async () => {
  names = Array.from({ length: 30 }, (_, at) => `image-${String(at + 1).padStart(4, '0')}.png`);
  show();
  await eventually(() => expect(pictures()).toHaveLength(12));
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Show more')?.click();
  await eventually(() => expect(pictures()).toHaveLength(24));
});
