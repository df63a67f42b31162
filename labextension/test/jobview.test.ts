// @vitest-environment jsdom
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { mountJobView } from '../src/jobview.js';
import { translator } from '../src/text/translation.js';
import type { Failure, Host, JobEvent, SavedJob, Status } from '../src/tokens.js';
import { FakeSource, jobFacts, runningState, START } from './fakes.js';
import { eventually } from './turns.js';

const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>\x1b[31m\x1b]0;t\x07\u202e';
const FAILURE: Failure = {
  cause: "ModuleNotFoundError: No module named 'xgboost'",
  hint: 'Add it with --requirements auto.',
  line: 3,
  tail: Array.from({ length: 30 }, (_, at) => `\x1b[31mline ${at}\x1b[0m`)
};
const SAVED: SavedJob = {
  schema: 1,
  id: 'j',
  name: 'iris-saved',
  state: 'running',
  place: 'docker · local ×1',
  at: '2026-11-20T04:00:00Z',
  times: {},
  values: { lr: '0.01' },
  metrics: { acc: 0.9 },
  is_cut: false
};

let source: FakeSource;
let place: HTMLElement;
let end: () => void;

function mount(host: Partial<Host> = {}, saved: SavedJob | null = null): void {
  end = mountJobView(place, source, { host: { language: 'en', ...host }, saved });
}

const part = (name: string) => place.querySelector<HTMLElement>(`.pj-JobView-${name}`);
const spoken = () => part('spoken')?.textContent;
const says = (text: string) => eventually(() => expect(place.textContent).toContain(text));
const press = (label: string) => [...place.querySelectorAll('button')].find(one => one.textContent === label)?.click();
const chosen = () => place.querySelector('[role=tab][aria-selected=true]')?.textContent;

beforeEach(() => {
  sessionStorage.clear();
  source = new FakeSource();
  place = document.body.appendChild(document.createElement('div'));
});

afterEach(() => {
  end();
  place.remove();
  vi.useRealTimers();
});

describe('the replicas of a job', () => {
  const row = (): string[] => [...place.querySelectorAll('.pj-JobView-replicas > li')].map(item => item.textContent);
  const stands = (replica: string, status: Status, changes: object = {}): JobEvent =>
    ({ kind: 'ReplicaChanged', replica, status, time: START + 3, ...changes }) as JobEvent;

  beforeEach(() => {
    source = new FakeSource(jobFacts({ replicas: ['master-0', 'worker-0', 'worker-1'] }));
  });

  test('are not shown while nothing is known of them, or where there is one', () => {
    mount();
    source.snapshot();
    expect(part('replicas')?.hidden).toBe(true);
    end();
    source = new FakeSource(jobFacts(), runningState());
    mount();
    source.snapshot();
    source.news(stands('worker-0', 'running'));
    expect(part('replicas')?.hidden).toBe(true);
  });

  test('stand in the order of the job, the first that failed before all', () => {
    mount();
    source.snapshot();
    source.news(stands('worker-1', 'running'), stands('master-0', 'running'), stands('worker-0', 'running'));
    expect(row()).toEqual(['● master-0', '● worker-0', '● worker-1']);
    source.news(
      stands('worker-1', 'failed', { exit_code: 3, attempt: 2 }),
      stands('worker-0', 'failed', { exit_code: 1, time: START + 9 }),
      stands('master-0', 'running', { attempt: 1 })
    );
    expect(row()).toEqual([
      '✗ worker-1 exit code 3, started again 2 times',
      '● master-0 started again once',
      '✗ worker-0 exit code 1'
    ]);
    const first = place.querySelector('.pj-JobView-replica');
    expect(first?.getAttribute('aria-label')).toBe(
      'worker-1: Failed, exit code 3, started again 2 times. Open its log'
    );
  });

  test('begin with the one that the reason names: another may wait for its next attempt since an earlier time', () => {
    mount();
    source.snapshot();
    source.news(
      stands('worker-0', 'failed', { exit_code: 1, attempt: 2 }),
      stands('worker-1', 'failed', { exit_code: 5, attempt: 3, time: START + 9 }),
      { kind: 'StatusChanged', status: 'failed', time: START + 9, reason: '副本 worker-1：退出码 5' }
    );
    expect(row().map(text => text.slice(0, 10))).toEqual(['✗ worker-1', '✗ worker-0']);
  });

  test('keep the focus when they change, and after the end none is said to run', () => {
    mount();
    source.snapshot();
    source.news(stands('master-0', 'running'), stands('worker-0', 'running'));
    const buttons = (): HTMLButtonElement[] => [...place.querySelectorAll<HTMLButtonElement>('.pj-JobView-replica')];
    buttons()[1]?.focus();
    source.news(stands('worker-0', 'failed', { exit_code: 2 }));
    expect(document.activeElement).toBe(buttons()[0]);
    source.news({ kind: 'StatusChanged', status: 'failed', time: START + 20 });
    expect(row()).toEqual(['✗ worker-0 exit code 2', '? master-0']);
  });

  test('that were ended since the job had succeeded are called spare, without the code of a signal', () => {
    mount();
    source.snapshot();
    source.news(stands('master-0', 'succeeded', { exit_code: 0 }), stands('worker-0', 'stopped', { exit_code: 143 }));
    expect(row()).toEqual(['✓ master-0', '■ worker-0 exit code 143']);
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 20 });
    expect(row()).toEqual(['✓ master-0', '■ worker-0 no longer needed']);
  });

  test('open their log, from any tab', async () => {
    source.logs['worker-1'] = ['of one'];
    mount();
    source.snapshot();
    source.news(stands('worker-1', 'stopped'));
    press('Files');
    press('■ worker-1');
    await eventually(() => expect(source.heard).toContainEqual(['hello', { replica: 'worker-1' }]));
    expect([chosen(), spoken(), part('log')?.getAttribute('aria-label')]).toEqual([
      'Logs',
      'Log of worker-1',
      'Log of worker-1'
    ]);
  });

  test('are text, whatever they are called', () => {
    source = new FakeSource(jobFacts({ replicas: ['a', HOSTILE] }));
    mount({ language: 'zh' });
    source.snapshot();
    source.news(stands(HOSTILE, 'failed', { exit_code: 1 }));
    expect(place.querySelector('img')).toBeNull();
    expect(part('replica')?.getAttribute('aria-label')).toContain('退出码 1。打开其日志');
  });
});

describe('before the job answers', () => {
  test('the view says that it connects', () => {
    mount();
    expect(part('connection')?.textContent).toBe('Connecting…');
    expect(part('tabs')?.hidden).toBe(true);
    expect(part('stopButton')?.closest('[hidden]')).not.toBeNull();
  });

  test('what the notebook has is shown, as of its time', () => {
    mount({}, SAVED);
    expect(part('name')?.textContent).toBe('iris-saved');
    expect(part('header')?.textContent).toContain('as of 2026-11-');
    expect(part('saved')?.textContent).toContain('lr=0.01');
    expect(place.querySelector('section')?.getAttribute('aria-label')).toBe('Training job iris-saved');
  });

  test('a job that is gone keeps what was saved, and says so', () => {
    mount({}, SAVED);
    source.go('offline', 'There is no job `j` here any more.');
    expect(part('connection')?.textContent).toBe('There is no job `j` here any more.');
    expect(part('saved')?.hidden).toBe(false);
    expect(part('waiting')?.hidden).toBe(true);
  });

  test('the snapshot takes the place of what was saved', () => {
    mount({}, SAVED);
    source.snapshot();
    expect(part('name')?.textContent).toBe('iris-3fa2c1');
    expect(part('saved')?.hidden).toBe(true);
    expect(part('tabs')?.hidden).toBe(false);
    expect(place.querySelector('section')?.getAttribute('aria-label')).toBe('Training job iris-3fa2c1');
    expect(chosen()).toBe('Logs');
  });
});

describe('while it runs', () => {
  test('time passes by itself, on the clock of the machine that keeps the job', () => {
    vi.useFakeTimers();
    mount();
    source.snapshot(START + 62);
    expect(part('time')?.textContent).toBe('01:00 / max 2:00:00');
    vi.advanceTimersByTime(5_000);
    expect(part('time')?.textContent).toBe('01:05 / max 2:00:00');
  });

  test('its end stops the clock', () => {
    vi.useFakeTimers();
    mount();
    source.snapshot();
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 62 });
    vi.advanceTimersByTime(60_000);
    expect(part('time')?.textContent).toBe('01:00 / max 2:00:00');
    expect(part('state')?.textContent).toBe('✓Succeeded');
  });

  test('a page that nobody sees has no timer, and is right when it is seen again', () => {
    vi.useFakeTimers();
    mount();
    source.snapshot(START + 62);
    const running = vi.getTimerCount();
    const hide = (isHidden: boolean) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    hide(true);
    expect(vi.getTimerCount()).toBe(running - 1);
    vi.advanceTimersByTime(30_000);
    expect(part('time')?.textContent).toContain('01:00');
    const hidden = vi.getTimerCount();
    hide(false);
    expect(part('time')?.textContent).toContain('01:30');
    expect(vi.getTimerCount()).toBe(hidden + 1);
  });

  test('a change of status is announced, log lines are not', () => {
    source.state = runningState({ status: 'queued', entered: { queued: START } });
    mount();
    source.snapshot();
    expect(spoken()).toBe('');
    source.news({ kind: 'StatusChanged', status: 'running', time: START + 2 });
    expect(spoken()).toBe('iris-3fa2c1: Running');
    source.print('worker-0', 'a line');
    source.news({ kind: 'Notice', text: 'a notice', time: START + 3 });
    expect(spoken()).toBe('iris-3fa2c1: Running');
  });

  test('a job that ended before it could be seen running is announced, one that is long over is not', () => {
    const entered = { running: START + 2, succeeded: START + 3 };
    source.state = runningState({ status: 'succeeded', entered });
    mount();
    source.snapshot(START + 4);
    expect(spoken()).toBe('iris-3fa2c1: Succeeded');
    end();
    place.replaceChildren();
    mount();
    source.snapshot(START + 600);
    expect(spoken()).toBe('');
  });

  test('a busy kernel is said, and forgotten when it answers', () => {
    mount();
    source.snapshot();
    source.go('busy');
    expect(part('connection')?.textContent).toContain('Kernel busy');
    source.go('live');
    expect(part('connection')?.hidden).toBe(true);
  });

  test('a lost connection is said, and the next snapshot completes the view', () => {
    mount();
    source.snapshot();
    source.go('offline');
    expect(part('connection')?.textContent).toBe('Connection lost. Reconnecting…');
    source.state = runningState({ status: 'stopped', entered: { running: START, stopped: START + 90 } });
    source.snapshot();
    expect(part('connection')?.hidden).toBe(true);
    expect(part('state')?.textContent).toBe('■Stopped');
  });

  test('every tab can be shown', async () => {
    mount();
    source.snapshot();
    for (const tab of place.querySelectorAll<HTMLElement>('[role=tab]')) {
      tab.click();
      expect(chosen()).toBe(tab.textContent);
    }
    await eventually(() => expect(source.count('environment')).toBe(1));
    expect([...place.querySelectorAll('[role=tab]')].map(tab => tab.textContent)).toEqual([
      'Overview',
      'Logs',
      'Metrics',
      'Resources',
      'TensorBoard',
      'Files',
      'Source',
      'Environment'
    ]);
  });
});

describe('a failure', () => {
  beforeEach(() => {
    const entered = { running: START, failed: START + 9 };
    source.state = runningState({ status: 'failed', reason: 'exit code 1', entered });
  });

  test('says the cause first, then the hint and the last lines', () => {
    mount();
    source.snapshot(START + 30, FAILURE);
    const texts = [...(part('failure')?.children ?? [])].map(child => child.textContent ?? '');
    expect(texts[0]).toBe(FAILURE.cause);
    expect(texts[1]).toBe('Hint: Add it with --requirements auto.');
    expect(texts[2]?.split('\n')).toEqual(FAILURE.tail.slice(-10).map(line => line.replace(/\x1b\[\d+m/g, '')));
    expect(place.textContent).not.toContain('exit code 1'); // the cause says it better
  });

  test('that comes while one looks is announced with its cause', () => {
    source.state = runningState();
    mount();
    source.snapshot();
    expect(part('failure')?.hidden).toBe(true);
    const events = [{ kind: 'StatusChanged', status: 'failed', time: START + 40 } as const];
    source.push({ kind: 'state', now: START + 40, events, failure: FAILURE });
    expect(part('failure')?.hidden).toBe(false);
    expect(spoken()).toBe(`iris-3fa2c1: Failed. ${FAILURE.cause}`);
  });

  test('is announced in the language of the view', () => {
    source.state = runningState();
    mount({ language: 'zh' });
    source.snapshot();
    const events = [{ kind: 'StatusChanged', status: 'failed', time: START + 40 } as const];
    const failure = { ...FAILURE, cause: "KeyError: 'x'（单元格第 3 行）" };
    source.push({ kind: 'state', now: START + 40, events, failure });
    expect(spoken()).toBe("iris-3fa2c1：失败。KeyError: 'x'（单元格第 3 行）");
  });

  test('leads to the line of the cell in the notebook', () => {
    const lines: number[] = [];
    mount({ openCellLine: line => lines.push(line) });
    source.snapshot(START + 30, FAILURE);
    press('Go to line 3');
    expect(lines).toEqual([3]);
    expect(chosen()).toBe('Logs');
  });

  test('leads to the line in the Source tab where the host has no cell', async () => {
    mount();
    source.snapshot(START + 30, FAILURE);
    press('Go to line 3');
    expect(chosen()).toBe('Source');
    await eventually(() => expect(place.querySelector('[data-highlighted]')?.textContent).toBe('raise SystemExit(3)'));
  });

  test('leads to the line of a file in the Source tab, whatever cell the host has', () => {
    const lines: number[] = [];
    mount({ openCellLine: line => lines.push(line) });
    source.facts = { ...source.facts, entry_point: '' };
    source.snapshot(START + 30, FAILURE);
    press('Go to line 3');
    expect([lines, chosen()]).toEqual([[], 'Source']);
  });

  test('without line, hint or tail has none', () => {
    mount();
    source.snapshot(START + 30, { cause: 'exit code 137: out of memory', hint: '', line: null, tail: [] });
    expect(part('failure')?.textContent).toBe('exit code 137: out of memoryRetry');
  });

  test('can be retried, and says where the new job went', async () => {
    const shown: string[] = [];
    mount({ openJob: job => shown.push(job) });
    source.snapshot(START + 30, FAILURE);
    press('Retry');
    await says('Rerun started: iris-77bd00 (20261121-064000-iris-77bd00)');
    press('Open');
    expect(shown).toEqual(['20261121-064000-iris-77bd00']);
  });
});

test('text in any field stays text', async () => {
  source = new FakeSource(
    jobFacts({
      name: HOSTILE,
      place: HOSTILE,
      instance_type: HOSTILE,
      folder: HOSTILE,
      line: HOSTILE,
      replicas: [HOSTILE],
      values: { [HOSTILE]: HOSTILE },
      backend: HOSTILE,
      notebook: HOSTILE
    }),
    runningState({
      status: 'failed',
      reason: HOSTILE,
      entered: { running: START, failed: START + 1 },
      metrics: { [HOSTILE]: [1, 1, 1, 1, 1] },
      links: { [HOSTILE]: HOSTILE },
      notices: [{ kind: 'Notice', text: HOSTILE, level: HOSTILE, time: START }],
      progress: { kind: 'Progress', done: 1, total: 2, unit: HOSTILE, time: START }
    })
  );
  source.logs[HOSTILE] = [HOSTILE];
  source.files[HOSTILE] = { [HOSTILE.replaceAll('/', '')]: HOSTILE };
  source.answers.rerun = () => ({ ok: { job: HOSTILE, name: HOSTILE } });
  source.answers.environment = () => ({
    ok: {
      command: HOSTILE,
      note: HOSTILE,
      replicas: [{ name: HOSTILE, variables: [[HOSTILE, HOSTILE]], paths: [[HOSTILE, HOSTILE]] }]
    }
  });
  source.answers.source = () => ({
    ok: {
      cell: HOSTILE,
      script: `${HOSTILE}2`,
      entry_point: HOSTILE,
      notebook: HOSTILE,
      values: [{ name: HOSTILE, value: HOSTILE }],
      package: { digest: HOSTILE, size: 1, files: [{ name: HOSTILE, size: 1, digest: HOSTILE }], is_cut: false }
    }
  });
  source.answers.board = () => ({ ok: { state: 'running', url: HOSTILE, note: HOSTILE } });
  const saved = { ...SAVED, name: HOSTILE, place: HOSTILE, at: HOSTILE, values: { [HOSTILE]: HOSTILE } };
  mount({}, saved);
  source.go('offline', HOSTILE);
  source.snapshot(START + 30, { cause: HOSTILE, hint: HOSTILE, line: 1, tail: [HOSTILE] });
  place.querySelectorAll<HTMLElement>('[role=tab]').forEach(tab => tab.click());
  press('Retry');
  await says('Rerun started');
  await eventually(() => expect(source.count('environment')).toBe(1));
  press('More actions');
  await eventually(() => expect(place.textContent?.match(/<img src=x/g)?.length).toBeGreaterThan(15));
  expect(place.querySelector('img, script, a[href^=javascript], iframe[src^=javascript]')).toBeNull();
  expect(part('header')?.textContent).not.toMatch(/[\x1b\x07\u202e]/);
});

describe('keys that are pressed in the view', () => {
  test.each([
    [{ key: 'x' }, false],
    [{ key: 'ArrowDown' }, false],
    [{ key: 'Enter' }, false],
    [{ key: 's', ctrlKey: true }, true],
    [{ key: 'Enter', shiftKey: true }, true],
    [{ key: 'k', metaKey: true }, true],
    [{ key: 'z', ctrlKey: true }, false],
    [{ key: 'Z', metaKey: true, shiftKey: true }, false],
    [{ key: 'Backspace', ctrlKey: true }, false],
    [{ key: 'ArrowUp', ctrlKey: true, shiftKey: true }, false],
    [{ key: 'C', ctrlKey: true, shiftKey: true }, true],
    [{ key: 'Control', ctrlKey: true }, false]
  ])('%j reach the notebook: %s', (init, reaches) => {
    mount();
    source.snapshot();
    let isHeard = false;
    place.addEventListener('keydown', () => (isHeard = true), { once: true });
    const event = new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true });
    place.querySelector('[role=tab]')?.dispatchEvent(event);
    expect(isHeard).toBe(reaches);
  });
});

test('after its end no timer, listener or element is left, whatever was open', async () => {
  vi.useFakeTimers();
  const living = new Set<unknown>();
  const add = vi.spyOn(document, 'addEventListener').mockImplementation((_, one) => void living.add(one));
  const remove = vi.spyOn(document, 'removeEventListener').mockImplementation((_, one) => void living.delete(one));
  source.answers.board = () => ({ ok: { state: 'starting', url: '', note: '' } });
  mount();
  source.snapshot();
  place.querySelectorAll<HTMLElement>('[role=tab]').forEach(tab => tab.click());
  place.querySelector<HTMLElement>('#' + place.querySelectorAll('[role=tab]')[3]?.id)?.click();
  part('more')?.click();
  await vi.advanceTimersByTimeAsync(300);
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  expect(living.size).toBeGreaterThan(1);
  end();
  add.mockRestore();
  remove.mockRestore();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
  expect(living.size).toBe(0);
  expect(source.listenerCount).toBe(0);
  expect(place.childElementCount).toBe(0);
  expect(source.isDisposed).toBe(false); // it belongs to whoever made it
});

describe('in Chinese', () => {
  test('the view speaks it', () => {
    mount({ language: 'zh' });
    expect(part('connection')?.textContent).toBe('正在连接…');
    source.snapshot();
    const tabs = [...place.querySelectorAll('[role=tab]')].map(tab => tab.textContent);
    expect(tabs).toEqual(['概览', '日志', '指标', '资源', 'TensorBoard', '文件', '源代码', '环境']);
    press('停止');
    expect(place.textContent).toContain('停止这个作业？');
  });

  const root = join(__dirname, '..', 'src');
  // Those of panel, table, storage, comparisons, stacks and lab: test/panel/translation.test.ts.
  const said = /\bsay\(\s*(?:'((?:[^'\\]|\\.)+)'|"([^"]+)")/g;
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .filter(name => !/^(panel|storage|compare|cell|component|cluster|run|lab|stacks|table)\b/.test(name))
    .flatMap(name => [
      ...readFileSync(join(root, name), 'utf8')
        .replace(/\/\*[^]*?\*\//g, '')
        .matchAll(said)
    ])
    .map(([, single, double]) => (single ?? double ?? '').replace(/\\'/g, "'"));

  test.each([...new Set(texts)])('there are words for %j', text => {
    expect(translator('zh')(text)).not.toBe(text);
    const blanks = (said: string) => (said.match(/\{\w+\}/g) ?? []).sort();
    expect(blanks(translator('zh')(text))).toEqual(blanks(text));
  });
});
