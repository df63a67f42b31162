// @vitest-environment jsdom
import { expect, it } from 'vitest';

import type { Spark } from '../../src/panel/list.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { JobRowView, timeText } from '../../src/panel/row.js';
import { panelSay } from '../../src/panel/translation.js';
import type { Language } from '../../src/text/translation.js';
import type { Status } from '../../src/tokens.js';
import { jobRow, NOW, running } from './rows.js';

interface Around {
  language?: Language;
  spark?: Spark;
  differs?: string;
}

function drawn(row: JobRow, { language = 'en', spark, differs = '' }: Around = {}): HTMLElement {
  const view = new JobRowView({ say: panelSay(language), now: () => NOW, spark: () => spark, differs: () => differs });
  view.draw(row);
  return view.element;
}

const part = (row: HTMLElement, name: string): HTMLElement | null => row.querySelector(`.pj-Panel-${name}`);
const text = (row: HTMLElement, name: string): string => part(row, name)?.textContent ?? '';

it.each<[Status, string, string]>([
  ['running', '●', 'Running'],
  ['queued', '◔', 'Queued'],
  ['succeeded', '✓', 'Succeeded'],
  ['failed', '✗', 'Failed'],
  ['stopped', '■', 'Stopped'],
  ['unknown', '?', 'Unknown'],
  ['of a newer version' as Status, '?', 'Unknown']
])('says %s by glyph and word', (status, glyph, word) => {
  const row = drawn(jobRow('a', { status }));
  expect([text(row, 'glyph'), text(row, 'word')]).toEqual([glyph, word]);
});

it.each<[Partial<JobRow>, string]>([
  [{ status: 'running', started: NOW - 192 }, '03:12'],
  [{ status: 'queued', started: null, created: NOW - 61 }, '01:01'],
  [{ ended: NOW - 5 }, '5s ago'],
  [{ ended: NOW - 300 }, '5m ago'],
  [{ ended: NOW - 7_300 }, '2h ago'],
  [{ ended: NOW - 200_000 }, '2d ago'],
  [{ ended: NOW + 50 }, '0s ago'],
  [{ ended: null, created: NOW - 60 }, '1m ago']
])('%j has the time %s', (changes, time) => {
  expect(timeText(jobRow('a', changes), NOW, panelSay('en'))).toBe(time);
});

it.each<[Partial<JobRow>, string]>([
  [{}, 'iris.ipynb · Docker'],
  [{ notebook: null, backend: 'process', place: 'process (no image is given)' }, 'Local process'],
  [{ notebook: null, backend: 'process', place: 'process (as job j1)' }, 'Local process · rerun of j1'],
  [
    { notebook: null, backend: 'process', place: 'process', roles: '1 chief, 2 worker' },
    'Local process · 1 chief, 2 worker'
  ],
  [{ notebook: null, backend: 'pai', place: 'emulator (asked for)' }, 'PAI emulator'],
  [{ notebook: null, backend: 'mine', place: 'mine (asked for)' }, 'mine (asked for)'],
  [{ backend: 'pai', place: 'cn-hangzhou', is_here: false, notebook: null }, 'submitted elsewhere · PAI · cn-hangzhou']
])('%j is from %s', (changes, about) => {
  expect(text(drawn(jobRow('a', changes)), 'about')).toBe(about);
});

it('says why a job cannot be reached, first of all', () => {
  const trouble = 'the token has expired. Give a new key.';
  const row = drawn(jobRow('a', { status: 'unknown', ended: null, trouble }));
  expect(text(row, 'word')).toBe('Unknown');
  expect(text(row, 'about')).toBe(`${trouble} · iris.ipynb · Docker`);
  expect(row.title.split('\n')[0]).toBe(trouble);
  expect(row.getAttribute('aria-label')).toContain(trouble);
});

it('speaks Chinese of a job that cannot be reached', () => {
  const row = drawn(jobRow('a', { status: 'unknown', ended: null, trouble: 'no.' }), { language: 'zh' });
  expect(text(row, 'word')).toBe('状态未知');
});

it.each<[unknown, string]>([
  [{ name: 'loss', value: 0.123456 }, 'loss 0.1235'],
  [null, ''],
  [{ name: 'loss', value: 'nan' }, 'loss nan'],
  [{ name: 'x'.repeat(99), value: -1 }, `${'x'.repeat(39)}… -1`]
])('the metric %j reads %s', (metric, shown) => {
  expect(text(drawn(jobRow('a', { metric: metric as JobRow['metric'] })), 'metric')).toBe(shown);
});

it.each<[Partial<JobRow>, string]>([
  [{ status: 'queued', in_line: 3 }, 'Queued (3)'],
  [{ status: 'queued' }, 'Queued'],
  [{ status: 'running', in_line: 3 }, 'Running'],
  [{ status: 'failed', failed_replica: 'worker-1' }, 'Failed (worker-1)'],
  [{ status: 'failed' }, 'Failed'],
  [{ status: 'stopped', failed_replica: 'worker-1' }, 'Stopped']
])('%j is called %s', (changes, word) => {
  expect(text(drawn(jobRow('a', changes)), 'word')).toBe(word);
});

it('has a bar for how far a job is, while it runs', () => {
  const bar = part(drawn(running('a', { progress: 0.25 })), 'bar');
  expect([bar?.hidden, bar?.style.getPropertyValue('--pj-part')]).toEqual([false, '0.25']);
  expect(part(drawn(jobRow('a', { progress: 0.25 })), 'bar')?.hidden).toBe(true);
  expect(part(drawn(running('a')), 'bar')?.hidden).toBe(true);
});

it('says all of it in one sentence for those who hear it', () => {
  const row = drawn(running('a', { progress: 0.5, started: NOW - 60, metric: { name: 'acc', value: 0.9 } }));
  expect(row.getAttribute('aria-label')).toBe('iris-a, Running, 50 %, iris.ipynb · Docker, 01:00, acc 0.9');
  expect([...row.children].every(child => child.getAttribute('aria-hidden') === 'true')).toBe(true);
});

it('says in its title why the job runs where it does', () => {
  expect(drawn(jobRow('a')).title.split('\n')).toContain('Docker – an image is given');
});

it('shows whatever a job is called as text', () => {
  const hostile = '<img src=x onerror="alert(1)">\u001b[31m\u202etxt';
  const row = drawn(
    jobRow('a', {
      name: hostile,
      notebook: hostile,
      place: hostile,
      metric: { name: hostile, value: 1 }
    })
  );
  expect(row.querySelector('img')).toBeNull();
  expect(text(row, 'name')).toBe('<img src=x onerror="alert(1)"> txt');
});

it('says beside its name what tells it from others of that name, to those who hear it too', () => {
  const row = drawn(jobRow('a', { name: 'iris', values: ['lr=0.3', 'seed=1'] }), { differs: 'lr=0.3' });
  expect([text(row, 'name'), text(row, 'differs')]).toEqual(['iris', 'lr=0.3']);
  expect(row.getAttribute('aria-label')).toMatch(/^iris, lr=0.3, Succeeded/);
  expect(row.title).toContain('lr=0.3 seed=1');
});

it('has a star and tags, for those who hear it too, and the first name and the note in its title', () => {
  const said = {
    is_starred: true,
    tags: ['best', '训练'],
    name: 'baseline',
    recorded_name: 'iris-a',
    note: 'overfits'
  };
  const row = drawn(jobRow('a', said));
  expect([text(row, 'star'), part(row, 'star')?.title]).toEqual(['★', 'Remove star (*)']);
  const chips = (of: HTMLElement): unknown => [...of.querySelectorAll('.pj-JobView-tag')].map(tag => tag.textContent);
  expect(chips(row)).toEqual(['best', '训练', '+2']); // the last one in place of the others where it is narrow
  expect(chips(drawn(jobRow('b', { tags: ['a', 'b', 'c', 'd', 'e'] })))).toEqual(['a', 'b', '+3', '+5']);
  expect(row.getAttribute('aria-label')).toMatch(/^baseline, starred, best 训练, Succeeded/);
  expect(row.title.split('\n').slice(0, 3)).toEqual(['baseline – iris-a', 'best 训练', 'overfits']);
});

it('offers no star for a job that has no record here', () => {
  expect([text(drawn(jobRow('a')), 'star'), part(drawn(jobRow('a')), 'star')?.hidden]).toEqual(['☆', false]);
  expect(part(drawn(jobRow('a', { is_here: false })), 'star')?.hidden).toBe(true);
});

it('says the given name of a step of a run instead of its path', () => {
  const step = { run: 'r1', step: 'train' };
  expect(text(drawn(jobRow('a', step)), 'name')).toBe('train');
  expect(text(drawn(jobRow('a', { ...step, name: 'baseline', recorded_name: 'p-train' })), 'name')).toBe('baseline');
});

it('calls a job without a name by its id', () => {
  expect(text(drawn(jobRow('j1', { name: '' })), 'name')).toBe('j1');
});

it('draws the course of its metric, and takes it away with the metric', () => {
  const spark = { name: 'loss', values: new Float64Array([1, 2]) };
  const view = new JobRowView({ say: panelSay('en'), now: () => NOW, spark: () => spark, differs: () => '' });
  const path = (): string | null => view.element.querySelector('path')?.getAttribute('d') ?? null;
  view.draw(jobRow('a', { metric: { name: 'loss', value: 2 } }));
  expect(path()).toContain('L');
  view.draw(jobRow('a'));
  expect(path()).toBe('');
});

it('speaks 中文', () => {
  const row = drawn(jobRow('a', { is_here: false }), { language: 'zh' });
  expect([text(row, 'word'), text(row, 'time')]).toEqual(['成功', '5 分钟前']);
  expect(text(row, 'about')).toContain('在别处提交');
});

it('has what the job has cost before its time, and nothing before it runs', () => {
  const cost = { currency: 'CNY', per_hour: 360 };
  const started = NOW - 192;
  expect(text(drawn(jobRow('a', { status: 'running', started, cost })), 'time')).toBe('¥19.20 · 03:12');
  expect(text(drawn(jobRow('a', { started, ended: NOW - 92, cost })), 'time')).toBe('¥10.00 · 1m ago');
  const waiting = jobRow('a', { status: 'queued', started: null, created: NOW - 61, cost });
  expect(text(drawn(waiting), 'time')).toBe('01:01');
});
