// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const told = vi.hoisted(() => ({ info: vi.fn(), warning: vi.fn() }));
vi.mock('@jupyterlab/apputils', () => ({ Notification: told }));

import { showDesktop, wantDesktop } from '../../src/lab/desktop.js';

const say = (text: string): string => text;
let shown: FakeNotification[];

class FakeNotification {
  static permission = 'granted';
  static requestPermission = vi.fn();
  onclick: (() => void) | null = null;
  close = vi.fn();
  constructor(
    readonly title: string,
    readonly options: { body: string }
  ) {
    shown.push(this);
  }
}

beforeEach(() => {
  shown = [];
  FakeNotification.permission = 'granted';
  vi.stubGlobal('Notification', FakeNotification);
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  told.info.mockReset();
  told.warning.mockReset();
});

it('shows a notification of the browser for a page in the background, and a click leads to it', () => {
  const show = vi.fn();
  vi.spyOn(window, 'focus').mockReturnValue(undefined);
  showDesktop('Training jobs', 'iris: failed', show);
  expect(shown.map(({ title, options }) => [title, options.body])).toEqual([['Training jobs', 'iris: failed']]);
  shown[0]?.onclick?.();
  expect(show).toHaveBeenCalledOnce();
});

it.each([
  ['a page that somebody sees', 'granted', false],
  ['a browser that was not asked', 'default', true],
  ['a browser that must not', 'denied', true]
])('shows none for %s', (_, permission, isHidden) => {
  FakeNotification.permission = permission;
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(isHidden);
  showDesktop('Training jobs', 'x', () => undefined);
  expect(shown).toEqual([]);
});

it('asks the browser only when its user has pressed the button', () => {
  FakeNotification.permission = 'default';
  wantDesktop(say);
  expect(FakeNotification.requestPermission).not.toHaveBeenCalled();
  const [, options] = told.info.mock.calls[0] as [string, { actions: { callback: () => void }[] }];
  options.actions[0]?.callback();
  expect(FakeNotification.requestPermission).toHaveBeenCalledOnce();
});

it('says that the browser does not want to', () => {
  FakeNotification.permission = 'denied';
  wantDesktop(say);
  vi.stubGlobal('Notification', undefined);
  wantDesktop(say);
  expect(told.warning).toHaveBeenCalledTimes(2);
});
