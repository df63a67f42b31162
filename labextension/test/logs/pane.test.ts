// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { blocksOf } from '../../src/logs/wholeline.js';
import { FakeSource, jobFacts, START } from '../fakes.js';
import { eventually, turns } from '../turns.js';
import { asked, begin, find, labelled, numbered, opened, pane, press, rows, said, shown, source } from './logstab.js';

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

  it('that are errors and warnings look so, with a terminal colour of their own or without', async () => {
    await shown(['INFO a', 'WARNING b', '\x1b[31mERROR\x1b[0m c', 'ValueError: d']);
    const looks = [...pane.element.querySelectorAll('.pj-JobView-row')].map(row => row.className.split(' ')[1] ?? '');
    expect(looks).toEqual(['', 'pj-JobView-isWarning', 'pj-JobView-isError', 'pj-JobView-isError']);
  });

  it('of a traceback lead to the cell', async () => {
    await shown(['Traceback (most recent call last):', '  File "/ml/usercode/train.py", line 12, in <module>']);
    find<HTMLButtonElement>('.pj-JobView-row button').click();
    expect(opened).toEqual([12]);
  });

  it.each([
    ['fit.py', 1],
    ['', 0]
  ])('lead to the cell only where they name it: %j', async (entry_point, links) => {
    begin(new FakeSource(jobFacts({ entry_point })));
    await shown(['  File "/ml/usercode/fit.py", line 3', '  File "/ml/usercode/train.py", line 3']);
    expect(pane.element.querySelectorAll('.pj-JobView-row button')).toHaveLength(links);
  });

  it('are none yet, or were never any', async () => {
    await shown([]);
    expect(find('.pj-JobView-logNote').textContent).toBe('No output yet.');
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: START + 60 });
    await turns();
    expect(find('.pj-JobView-logNote').textContent).toBe('The job printed no output.');
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

  it('show the times of lines, which are no part of their text', async () => {
    await shown(numbered(3));
    const log = find('.pj-JobView-log');
    expect(log.classList.contains('pj-JobView-isTimed')).toBe(false);
    labelled('Times').click();
    await turns();
    expect(log.classList.contains('pj-JobView-isTimed')).toBe(true);
    expect(find('.pj-JobView-row').dataset['time']).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(rows()).toEqual(['line 0', 'line 1', 'line 2']);
    labelled('Times').click();
    expect(log.classList.contains('pj-JobView-isTimed')).toBe(false);
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

function readAloud(isOn: boolean): void {
  find('[aria-label="Log options"]').click();
  const item = find('[role="menuitemcheckbox"][aria-label="Read new lines aloud"]');
  expect(item.getAttribute('aria-checked')).toBe(String(isOn));
  item.click();
}

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
    readAloud(false);
    source.print('worker-0', 'one', '\x1b[31mtwo\x1b[0m');
    source.print('worker-0', 'three');
    vi.advanceTimersByTime(4_000);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(20_000);
    expect(said).toEqual(['New lines: 3. three']);
    readAloud(true);
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
