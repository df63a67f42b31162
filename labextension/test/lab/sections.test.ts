// @vitest-environment jsdom
import { Widget } from '@lumino/widgets';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { SectionHost } from '../../src/lab/sections.js';
import type { PanelContext, Section } from '../../src/panel/section.js';
import { fakePanel, FakeList } from '../panel/rows.js';
import { turns } from '../turns.js';

vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
});

class FakeSection implements Section {
  readonly element = document.createElement('p');
  readonly heard: boolean[] = [];
  isDisposed = false;

  show(isShown: boolean): void {
    if (this.heard.at(-1) !== isShown) {
      this.heard.push(isShown);
    }
  }

  dispose(): void {
    this.isDisposed = true;
  }
}

let section: FakeSection;
let made: number;
let context: PanelContext | null;
let seen: boolean[];
let isHidden: boolean;
let host: SectionHost<FakeSection>;

beforeEach(() => {
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
  section = new FakeSection();
  [made, context, seen, isHidden] = [0, fakePanel(new FakeList()), [], false];
  const make = (): FakeSection => {
    made += 1;
    return section;
  };
  host = new SectionHost({ context: () => Promise.resolve(context), make, missing: () => 'It is not there.' }, isSeen =>
    seen.push(isSeen)
  );
});
afterEach(() => {
  host.dispose();
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

async function attach(): Promise<void> {
  Widget.attach(host, document.body);
  await turns();
}

it('makes the section when it is first seen, and once', async () => {
  host.hide();
  await attach();
  expect(made).toBe(0);
  host.show();
  host.hide();
  host.show();
  await turns();
  expect([made, section.heard, host.node.contains(section.element)]).toEqual([1, [true], true]);
});

it('tells the section whether it can be seen', async () => {
  await attach();
  host.hide();
  host.show();
  Widget.detach(host);
  expect(section.heard).toEqual([true, false, true, false]);
  expect(seen.at(-1)).toBe(false);
});

it('does no work on a page that nobody looks at', async () => {
  await attach();
  isHidden = true;
  document.dispatchEvent(new Event('visibilitychange'));
  isHidden = false;
  document.dispatchEvent(new Event('visibilitychange'));
  expect(section.heard).toEqual([true, false, true]);
});

it('has the section look again', async () => {
  await attach();
  host.renew();
  expect(section.heard).toEqual([true, false, true]);
});

it('says why there is none', async () => {
  context = null;
  await attach();
  expect([host.node.textContent, host.section, made]).toEqual(['It is not there.', null, 0]);
});

it('takes the section with it', async () => {
  await attach();
  host.dispose();
  document.dispatchEvent(new Event('visibilitychange'));
  expect([section.isDisposed, section.heard.at(-1)]).toEqual([true, false]);
});

it('makes none when it goes before it could', async () => {
  Widget.attach(host, document.body);
  host.dispose();
  await turns();
  expect(made).toBe(0);
});
