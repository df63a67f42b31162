// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { logsPane } from '../../src/logs/pane.js';
import { blocksOf } from '../../src/logs/whole.js';
import { PushedModel } from '../../src/model.js';
import { translator } from '../../src/text/words.js';
import type { Host, LogWindow, Pane, Push, Requests } from '../../src/tokens.js';
import { FakeSource, jobFacts, START } from '../fakes.js';
import { eventually, turns } from '../turns.js';

const VIEWPORT = 180; // pixels, ten rows

let source: FakeSource;
let model: PushedModel;
let pane: Pane;
let said: string[];
let opened: number[];

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => VIEWPORT });
  [said, opened] = [[], []];
  source = new FakeSource();
});

afterEach(() => {
  vi.useRealTimers();
  pane.dispose();
  pane.element.remove();
  source.dispose();
  Reflect.deleteProperty(HTMLElement.prototype, 'clientHeight');
});

/** A view of the log of a job that has printed these lines, as the view around it makes it. */
async function shown(lines: string[], host: Host = { language: 'en' }): Promise<void> {
  source.logs['worker-0'] = lines;
  model = new PushedModel();
  let made: Pane | null = null;
  source.listen({
    push: (push: Push, buffers: ArrayBuffer[]) => {
      model.push(push);
      if (made === null) {
        made = pane = logsPane({
          source, host, model, say: translator(host.language), openLine: line => opened.push(line),
          announce: text => said.push(text)
        });
        document.body.append(pane.element);
        pane.show(true);
      }
      pane.update(push, buffers);
    }
  });
  source.snapshot();
  await turns();
}

function numbered(count: number, name = 'line'): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}`);
}

function rows(): string[] {
  return [...pane.element.querySelectorAll('.pj-JobView-row')].map(row => row.textContent);
}

function find<E extends HTMLElement>(selector: string): E {
  const found = pane.element.querySelector<E>(selector);
  if (!found) {
    throw new Error(`${selector} is not there`);
  }
  return found;
}

function labelled<E extends HTMLElement>(text: string): E {
  const controls = [...pane.element.querySelectorAll<HTMLElement>('button, input, select')];
  const found = controls.find(
    made => [made.getAttribute('aria-label'), made.textContent, made.closest('label')?.textContent].includes(text)
  );
  if (!found) {
    throw new Error(`"${text}" is not there`);
  }
  return found as E;
}

async function search(pattern: string, key = 'Enter'): Promise<void> {
  const box = labelled<HTMLInputElement>('Search the log');
  box.value = pattern;
  box.dispatchEvent(new Event('input'));
  box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await turns();
}

function press(target: HTMLElement, key: string, modifiers: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  target.dispatchEvent(event);
  return event;
}

function choose(label: string, value: string): void {
  const select = labelled<HTMLSelectElement>(label);
  select.value = value;
  select.dispatchEvent(new Event('change'));
}

function asked<K extends keyof Requests>(kind: K): Requests[K][] {
  return source.heard.filter(([heard]) => heard === kind).map(([, parameters]) => parameters as Requests[K]);
}

describe('lines', () => {
  it('are shown from the end, as they come', async () => {
    await shown(numbered(5_000));
    expect(rows().at(-1)).toBe('line 4999');
    source.print('worker-0', 'the newest');
    await turns();
    expect(rows().at(-1)).toBe('the newest');
  });

  it('are asked for where they are looked at, and nowhere else', async () => {
    await shown(numbered(100_000));
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    expect(rows()[0]).toBe('line 0');
    const windows = asked('lines').map(window => ('start' in window ? window.stop - window.start : 0));
    expect(Math.max(...windows)).toBeLessThanOrEqual(1_000);
    expect(windows.length).toBeLessThanOrEqual(3);
  });

  it('that are hostile are text', async () => {
    await shown(['<img src=x onerror="alert(1)">', '\x1b[31m<script>alert(1)</script>\x1b[0m', 'javascript:alert(1)']);
    expect(pane.element.querySelector('img, script, a')).toBeNull();
    expect(rows()).toEqual(['<img src=x onerror="alert(1)">', '<script>alert(1)</script>', 'javascript:alert(1)']);
  });

  it('of a traceback lead to the cell', async () => {
    await shown(['Traceback (most recent call last):', '  File "/ml/usercode/train.py", line 12, in <module>']);
    find<HTMLButtonElement>('.pj-JobView-row button').click();
    expect(opened).toEqual([12]);
  });

  it.each([['fit.py', 1], ['', 0]])('lead to the cell only where they name it: %j', async (entry_point, links) => {
    source = new FakeSource(jobFacts({ entry_point }));
    await shown(['  File "/ml/usercode/fit.py", line 3', '  File "/ml/usercode/train.py", line 3']);
    expect(pane.element.querySelectorAll('.pj-JobView-row button')).toHaveLength(links);
  });

  it('are none yet, or were never any', async () => {
    await shown([]);
    expect(find('.pj-JobView-logNote').textContent).toBe('No output yet.');
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 60 });
    await turns();
    expect(find('.pj-JobView-logNote').textContent).toBe('The job printed nothing.');
  });

  it('that cannot be had are asked for again when the source is back', async () => {
    await shown(numbered(10_000));
    source.refuse('lines', 'The server does not answer.');
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    expect(find('.pj-JobView-logNote').textContent).toBe('The server does not answer.');
    source.allow('lines');
    source.go('live');
    await turns();
    expect([rows()[0], find('.pj-JobView-logNote').hidden]).toEqual(['line 0', true]);
  });

  it('wait for a busy kernel as rows that keep their height', async () => {
    await shown(numbered(10_000));
    source.go('busy');
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    expect(pane.element.querySelectorAll('.pj-JobView-isAwaited').length).toBeGreaterThan(9);
    source.go('live');
    await turns();
    expect([rows()[0], pane.element.querySelector('.pj-JobView-isAwaited')]).toEqual(['line 0', null]);
  });

  it('are replaced where a snapshot says that the log is shorter', async () => {
    await shown(numbered(100));
    source.logs['worker-0'] = ['only this'];
    source.snapshot();
    await turns();
    expect(rows()).toEqual(['line 0']); // a finished line does not change; the log was cut behind it
    expect(find('.pj-JobView-logCount').textContent).toContain('1 line ');
  });
});

describe('a hidden pane', () => {
  it('asks for nothing and draws nothing, and is complete when it is shown again', async () => {
    await shown(numbered(300));
    pane.show(false);
    const [before, requests] = [rows(), source.heard.length];
    for (let turn = 0; turn < 20; turn += 1) {
      source.print('worker-0', ...numbered(100, `turn ${turn}`));
    }
    await turns();
    expect([rows(), source.heard.length]).toEqual([before, requests]);
    pane.show(true);
    await turns();
    expect([rows().at(-1), asked('lines').length]).toEqual(['turn 19 99', 1]); // nothing was kept of what was pushed
  });

  it('is quiet once it is disposed of', async () => {
    await shown(numbered(300));
    pane.dispose();
    const listeners = source.listenerCount;
    const before = rows();
    source.print('worker-0', 'late');
    await turns();
    expect([rows(), listeners]).toEqual([before, 1]);
  });
});

describe('the search', () => {
  it('finds the first hit from what is in view, shows and marks it, and says which it is', async () => {
    await shown(numbered(5_000));
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    await search('line 3');
    expect(find('.pj-JobView-isHit').textContent).toBe('line 3');
    expect(find('.pj-JobView-isHit mark').textContent).toBe('line 3');
    expect(find('.pj-JobView-hits').textContent).toBe('1 of 1,111');
    expect(said).toEqual(['1 of 1,111']);
  });

  it.each<[string, () => void, string]>([
    ['Enter', () => press(labelled('Search the log'), 'Enter'), 'line 30'],
    ['Shift+Enter', () => press(labelled('Search the log'), 'Enter', { shiftKey: true }), 'line 3999'],
    ['F3', () => press(find('.pj-JobView-log'), 'F3'), 'line 30'],
    ['Shift+F3', () => press(find('.pj-JobView-log'), 'F3', { shiftKey: true }), 'line 3999'],
    ['its button', () => labelled('Next hit (Enter)').click(), 'line 30']
  ])('steps by %s', async (_, step, line) => {
    await shown(numbered(5_000));
    press(find('.pj-JobView-log'), 'Home');
    await turns();
    await search('line 3');
    step();
    await turns();
    expect(find('.pj-JobView-isHit').textContent).toBe(line);
  });

  it('begins by itself when the user has stopped typing', async () => {
    await shown(numbered(100));
    const box = labelled<HTMLInputElement>('Search the log');
    for (const pattern of ['l', 'li', 'line 50']) {
      box.value = pattern;
      box.dispatchEvent(new Event('input'));
    }
    await eventually(() => expect(find('.pj-JobView-hits').textContent).toBe('1 of 1'));
    expect(asked('search').map(({ pattern }) => pattern)).toEqual(['line 50']);
  });

  it('shows a hit in a line of which no push has told yet', async () => {
    const lines = numbered(1_000);
    await shown(lines);
    source.logs['worker-0'] = [...lines, ...numbered(100, 'new'), 'needle', ...numbered(100, 'newer')];
    await search('needle');
    expect(find('.pj-JobView-isHit').textContent).toBe('needle');
  });

  it('minds the case, and takes expressions, when that is chosen', async () => {
    await shown(['Loss 1', 'loss 2', 'l.ss 3']);
    await search('loss');
    labelled('Match case').click();
    await turns();
    expect(find('.pj-JobView-hits').textContent).toBe('1 of 1');
    await search('l.ss');
    labelled('Regular expression').click();
    await turns();
    expect(asked('search').at(-1)).toMatchObject({ pattern: 'l.ss', regex: true, ignore_case: false });
    expect(find('.pj-JobView-hits').textContent).toContain('2');
  });

  it('says why an expression is none', async () => {
    await shown(numbered(10));
    source.refuse('search', 'The pattern is not closed: "[".');
    await search('[');
    expect(find('.pj-JobView-trouble').textContent).toBe('The pattern is not closed: "[".');
    expect(labelled('Search the log').getAttribute('aria-invalid')).toBe('true');
  });

  it('says that there are no hits', async () => {
    await shown(numbered(10));
    await search('nowhere');
    expect(find('.pj-JobView-hits').textContent).toBe('no hits');
  });

  it('says that there are more hits than it counts', async () => {
    await shown(numbered(10));
    const found = Float64Array.from(numbered(100_000).keys());
    source.answers.search = () => ({
      ok: { count: 100_000, searched: 100_000, is_more: true }, buffers: [found.buffer]
    });
    await search('line');
    expect(find('.pj-JobView-hits').textContent).toMatch(/100,000\+$/);
  });

  it('ends by Escape, which then is the notebook\'s again', async () => {
    await shown(numbered(10));
    await search('line 5');
    press(labelled('Search the log'), 'Escape');
    await turns();
    expect([find('.pj-JobView-hits').textContent, pane.element.querySelector('mark')]).toEqual(['', null]);
    expect(press(labelled('Search the log'), 'Escape').defaultPrevented).toBe(false);
  });

  it.each([{ ctrlKey: true }, { metaKey: true }])('has the focus by %j and F', async modifiers => {
    await shown(numbered(10));
    find('.pj-JobView-log').focus();
    expect(press(find('.pj-JobView-log'), 'f', modifiers).defaultPrevented).toBe(true);
    expect(document.activeElement).toBe(labelled('Search the log'));
  });

  it('counts on while the job prints', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await shown(numbered(10));
    await search('line 5');
    source.print('worker-0', 'line 55');
    vi.advanceTimersByTime(2_000);
    await turns();
    expect(find('.pj-JobView-hits').textContent).toBe('1 of 2');
    expect(asked('search').at(-1)?.after).toBe(10);
  });
});

describe('a level', () => {
  beforeEach(() => {
    source.answers.search = ({ replica, level, after = 0 }) => {
      const all = source.logs[replica] ?? [];
      const isFound = (line: string, number: number): boolean => number >= after && (!level || line.includes(level));
      const found = Float64Array.from(all.flatMap((line, number) => (isFound(line, number) ? [number] : [])));
      return { ok: { count: found.length, searched: all.length, is_more: false }, buffers: [found.buffer] };
    };
  });

  it('shows only its lines, and how many of how many', async () => {
    await shown(numbered(1_000).map((line, index) => (index % 100 === 7 ? `warning ${index}` : line)));
    choose('Level', 'warning');
    await turns();
    expect(rows()).toEqual(Array.from({ length: 10 }, (_, index) => `warning ${index * 100 + 7}`));
    expect(find('.pj-JobView-logCount').textContent).toContain('10 of 1,000 lines');
  });

  it('shows all again, at the line that was looked at', async () => {
    await shown(numbered(1_000).map((line, index) => (index % 10 === 7 ? `error ${index}` : line)));
    choose('Level', 'error');
    await turns();
    press(find('.pj-JobView-log'), 'PageUp');
    await turns();
    const top = rows()[0] ?? '';
    choose('Level', '');
    await turns();
    expect(rows()).toContain(top);
    expect(rows().length).toBeGreaterThan(9);
  });

  it('says when there is none', async () => {
    await shown(numbered(10));
    choose('Level', 'error');
    await turns();
    expect(find('.pj-JobView-logNote').textContent).toBe('No lines at this level.');
  });

  it('is what a search looks through', async () => {
    await shown(numbered(10));
    choose('Level', 'error');
    await search('line');
    expect(asked('search').at(-1)).toMatchObject({ pattern: 'line', level: 'error' });
  });
});

describe('replicas', () => {
  beforeEach(() => {
    source = new FakeSource(jobFacts({ replicas: ['worker-0', 'worker-1'] }));
    source.logs['worker-1'] = numbered(50, 'second');
    source.answers.hello = ({ replica }) => {
      setTimeout(() => source.push(snapshotOf(replica ?? 'worker-0')));
      return { ok: { api: 1 } };
    };
  });

  function snapshotOf(replica: string): Parameters<FakeSource['push']>[0] {
    const lines = source.logs[replica] ?? [];
    const tail: LogWindow = {
      replica, start: 0, lines, times: [], clipped: {}, count: lines.length, finished: lines.length
    };
    const counts = { 'worker-0': 10, 'worker-1': 50 };
    return { kind: 'snapshot', now: START, job: source.facts, state: source.state, failure: null, counts, tail };
  }

  it('are offered where there are several, and the chosen one is watched', async () => {
    await shown(numbered(10));
    choose('Replica', 'worker-1');
    await turns();
    expect([rows().at(-1), asked('hello')]).toEqual(['second 49', [{ replica: 'worker-1' }]]);
    expect(find('.pj-JobView-log').getAttribute('aria-label')).toBe('Log of worker-1');
  });

  it('stay chosen when the view says hello anew', async () => {
    await shown(numbered(10));
    choose('Replica', 'worker-1');
    await turns();
    source.push(snapshotOf('worker-0'));
    await turns();
    expect([rows().at(-1), labelled<HTMLSelectElement>('Replica').value]).toEqual(['second 49', 'worker-1']);
    expect(asked('hello')).toHaveLength(2);
  });

  it('are those of the server where it does not watch the chosen one', async () => {
    await shown(numbered(10));
    source.answers.hello = () => {
      setTimeout(() => source.push(snapshotOf('worker-0')));
      return { ok: { api: 1 } };
    };
    choose('Replica', 'worker-1');
    await turns();
    expect([rows().at(-1), labelled<HTMLSelectElement>('Replica').value]).toEqual(['line 9', 'worker-0']);
    expect(asked('hello')).toHaveLength(1);
  });

  it('print past each other', async () => {
    await shown(numbered(10));
    source.print('worker-1', 'not here');
    await turns();
    expect(rows().at(-1)).toBe('line 9');
  });

  it('are not offered where there is one', async () => {
    source = new FakeSource();
    await shown(numbered(10));
    expect(labelled('Replica').hidden).toBe(true);
  });
});

describe('tools', () => {
  it('switch following off when the user scrolls up, and on again', async () => {
    await shown(numbered(1_000));
    const follow = labelled('Follow');
    press(find('.pj-JobView-log'), 'PageUp');
    await turns();
    expect(follow.ariaPressed).toBe('false');
    follow.click();
    await turns();
    expect(rows().at(-1)).toBe('line 999');
  });

  it('break long lines', async () => {
    await shown(numbered(10));
    labelled('Wrap').click();
    await turns();
    expect(find('.pj-JobView-log').classList.contains('pj-JobView-isWrapped')).toBe(true);
  });

  it('copy the lines around, without colours, at most 5,000 of them', async () => {
    const copied: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    await shown(numbered(20_000, '\x1b[31mline'));
    labelled('Copy').click();
    await eventually(() => expect(copied).not.toEqual([]));
    vi.unstubAllGlobals();
    const lines = copied[0]?.split('\n') ?? [];
    expect([lines.at(-1), lines.length > 2_000, lines.length <= 5_000]).toEqual(['line 19999', true, true]);
    expect(said).toEqual(['Copied']);
  });

  it.each([
    ['the server, where there is an address', 'http://127.0.0.1:8888/log', 'http://127.0.0.1:8888/log'],
    ['the source itself, where there is none', null, 'blob:log']
  ])('download from %s', async (_, address, href) => {
    const saved: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.href, this.download);
    });
    Object.assign(URL, { createObjectURL: () => 'blob:log', revokeObjectURL: () => undefined });
    source.address = address;
    await shown(numbered(10));
    labelled('Save').click();
    await eventually(() => expect(saved).not.toEqual([]));
    click.mockRestore();
    expect(saved).toEqual([href, 'iris-3fa2c1-worker-0.log']);
  });

  it('say why there is no download', async () => {
    await shown(numbered(10));
    source.refuse('lines', 'The job folder is gone.');
    labelled('Save').click();
    await turns();
    expect(find('.pj-JobView-logNote').textContent).toBe('The job folder is gone.');
  });

  it('count the lines, and say when the last one came, until the job ends', async () => {
    await shown(numbered(12_431));
    source.print('worker-0', 'the last');
    await turns();
    expect(find('.pj-JobView-logCount').textContent).toBe('12,432 lines · 30s ago');
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 60 });
    await turns();
    expect(find('.pj-JobView-logCount').textContent).toBe('12,432 lines');
  });

  it('speak Chinese', async () => {
    await shown(numbered(10), { language: 'zh' });
    expect(find('.pj-JobView-logCount').textContent).toContain('10 行');
    expect(labelled('搜索日志').tagName).toBe('INPUT');
  });
});

describe('a screen reader', () => {
  it('meets a log that is labelled, can be focused, and is not read out', async () => {
    await shown(numbered(10));
    const log = find('.pj-JobView-log');
    const attributes = ['role', 'aria-live', 'tabindex', 'aria-label'].map(name => log.getAttribute(name));
    expect(attributes).toEqual(['log', 'off', '0', 'Log of worker-0']);
  });

  it('hears of new lines when asked to, once every few seconds', async () => {
    await shown(numbered(10));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    labelled('Speak').click();
    source.print('worker-0', 'one', '\x1b[31mtwo\x1b[0m');
    source.print('worker-0', 'three');
    vi.advanceTimersByTime(4_000);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(20_000);
    expect(said).toEqual(['New lines: 3. three']);
    labelled('Speak').click();
    source.print('worker-0', 'four');
    vi.advanceTimersByTime(20_000);
    expect(said).toHaveLength(1);
  });
});

describe('a long line', () => {
  const long = 'x'.repeat(51_200);

  beforeEach(() => {
    source.answers.lines = asked => {
      const [start, stop] = 'start' in asked ? [asked.start, asked.stop] : [0, 0];
      const lines = ['short', stop - start === 1 ? long : long.slice(0, 1_000)].slice(start, stop);
      return { ok: { replica: 'worker-0', start, lines, times: [], clipped: {}, count: 2, finished: 2 } };
    };
  });

  it('is shown whole when asked, as text in blocks, until it is closed', async () => {
    await shown(['short', long]);
    labelled('show whole line').click();
    await turns();
    const whole = find('[role=dialog]');
    expect([...whole.querySelectorAll('pre')].map(block => block.textContent).join('')).toBe(long);
    expect(whole.querySelectorAll('pre').length).toBeGreaterThan(10);
    press(whole, 'Escape');
    expect([whole.hidden, document.activeElement]).toEqual([true, find('.pj-JobView-log')]);
  });

  it('is not cut within a letter', () => {
    const text = `${'x'.repeat(3_999)}😀${'y'.repeat(4_000)}`;
    expect([blocksOf(text).join(''), blocksOf(text)[0]?.endsWith('😀')]).toEqual([text, true]);
  });
});
