// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from 'vitest';

import { backendsSection } from '../../src/panel/backends.js';
import type { BackendRow } from '../../src/panel/protocol.js';
import type { Section } from '../../src/panel/section.js';
import { eventually, turns } from '../turns.js';
import { type FakeBasics, fakeBasics } from './fakerest.js';

let context: FakeBasics;
let section: Section;

const backend = (name: string, changes: Partial<BackendRow> = {}): BackendRow => ({
  name,
  title: name,
  is_ready: true,
  note: '',
  is_emulator: false,
  instances: [],
  takes_job_files: false,
  ...changes
});
const text = () => section.element.textContent ?? '';
const says = (what: string) => eventually(() => expect(text()).toContain(what));
const cards = () => [...section.element.querySelectorAll('li')];
const check = () => section.element.querySelector<HTMLButtonElement>('button[aria-label="Check: pai"]');
const health = () => cards().map(card => card.querySelector<HTMLElement>('[data-health]')?.dataset['health']);

beforeEach(async () => {
  context = fakeBasics();
  context.rest.backends = {
    backends: [
      backend('process'),
      backend('docker', { is_ready: false, note: 'Docker does not answer. Start it.' }),
      backend('pai', { is_ready: null, note: 'PAI in cn-hangzhou.', is_emulator: true })
    ],
    profile: 'team-训练',
    settings: [
      { name: 'region', value: 'cn-hangzhou', origin: 'the profile' },
      { name: 'bucket', value: '', origin: '' }
    ]
  };
  section = backendsSection(context);
  document.body.append(section.element);
  section.show(true);
  await says('pai');
});

afterEach(() => {
  section.dispose();
  document.body.replaceChildren();
});

test('nothing is asked before the section is shown', () => {
  const hidden = fakeBasics();
  backendsSection(hidden).show(false);
  expect(hidden.rest.heard).toEqual([]);
});

test('each backend says how it stands, in a word too', () => {
  expect(health()).toEqual(['ready', 'missing', 'unknown']);
  expect(cards().map(card => card.textContent)).toEqual([
    'process✓ readyCheck',
    'docker✗ not readyCheckDocker does not answer. Start it.',
    'pai (emulator)? not checkedCheckPAI in cn-hangzhou.'
  ]);
});

test('profile and settings have their origin', () => {
  expect(text()).toContain('Profile team-训练');
  const told = [...section.element.querySelectorAll('dt, dd')].map(part => part.textContent?.trim());
  expect(told).toEqual(['region', 'cn-hangzhou (the profile)', 'bucket', '–']);
});

test('only what costs a request has a Check button', () => {
  const shown = [...section.element.querySelectorAll<HTMLButtonElement>('li button')].filter(one => !one.hidden);
  expect(shown).toEqual([check()]);
});

test('Check asks for this one, once, and says what came of it', async () => {
  const go = context.rest.hold('backends');
  context.rest.backends = {
    ...context.rest.backends,
    backends: [backend('pai', { is_ready: false, note: 'The key is wrong.' })]
  };
  check()?.focus();
  check()?.click();
  check()?.click();
  expect(text()).toContain('Checking…');
  expect(document.activeElement).toBe(check());
  go();
  await says('The key is wrong.');
  expect(health()).toEqual(['ready', 'missing', 'missing']);
  expect(context.rest.count('GET backends pai')).toBe(1);
  expect(context.spoken).toEqual(['pai: ✗ not ready. The key is wrong.']);
});

test('a check goes on while the list is asked for anew', async () => {
  const go = context.rest.hold('backends');
  check()?.focus();
  check()?.click();
  context.rest.hold('backends')(); // now the check alone waits
  [...section.element.querySelectorAll('button')].find(one => one.textContent === 'Refresh')?.click();
  await turns();
  expect(text()).toContain('Checking…');
  context.rest.backends = {
    ...context.rest.backends,
    backends: [backend('pai', { is_ready: false, note: 'The key is wrong.' })]
  };
  go();
  await says('The key is wrong.');
  expect(document.activeElement).toBe(check());
});

test('a check that is refused says why, and can be tried again', async () => {
  context.rest.refuse('backends', 'No network.');
  check()?.click();
  await says('No network.');
  context.rest.allow('backends');
  check()?.click();
  await says('PAI in cn-hangzhou.');
});

test('clusters are shown where a backend has any', async () => {
  expect(context.rest.count('GET clusters')).toBe(0);
  const { backends } = context.rest.backends;
  context.rest.backends = {
    ...context.rest.backends,
    backends: [...backends, backend('far', { takes_job_files: true })]
  };
  section.show(true);
  await says('No cluster yet.');
  section.show(false);
});

test('a backend is asked for again when the clusters are others', async () => {
  const { backends } = context.rest.backends;
  const far = backend('far', { takes_job_files: true, is_ready: false, note: 'no cluster is known.' });
  context.rest.backends = { ...context.rest.backends, backends: [...backends, far] };
  section.show(true);
  await says('No cluster yet.');
  context.rest.clusters = [{ name: 'lab', address: 'http://lab', user: 'alice', password_in: 'memory' }];
  const go = context.rest.hold('clusters');
  section.show(true);
  await turns();
  context.rest.backends = { ...context.rest.backends, backends: [...backends, { ...far, note: 'lab' }] };
  expect(text()).toContain('no cluster is known.');
  go();
  await eventually(() => expect(text()).not.toContain('no cluster is known.'));
  section.show(false);
});

test('what is said is text', async () => {
  context.rest.backends = { backends: [backend('<b>x</b>', { note: '<img src=x>' })], profile: '<i>', settings: [] };
  section.show(true);
  await says('<img src=x>');
  expect(section.element.querySelector('b, img, i')).toBeNull();
});
