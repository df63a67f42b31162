// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';

import { Header } from '../../src/head/header.js';
import { Notes } from '../../src/head/notes.js';
import { savedFacts } from '../../src/head/savedfacts.js';
import { type Language, translator } from '../../src/text/translation.js';
import type { JobEvent, JobFacts, JobStateJson, SavedJob, Status } from '../../src/tokens.js';
import { jobFacts, runningState, START } from '../fakes.js';

function header(
  state: Partial<JobStateJson>,
  facts: Partial<JobFacts> = {},
  now = START + 192,
  language: Language = 'en'
): Header {
  const made = new Header(translator(language));
  made.draw({ job: jobFacts(facts), state: runningState(state), failure: null, counts: {}, now: () => now });
  return made;
}

function part(made: { element: HTMLElement }, name: string): HTMLElement {
  const found = made.element.querySelector<HTMLElement>(`.pj-JobView-${name}`);
  if (!found) {
    throw new Error(`no ${name}`);
  }
  return found;
}

const phases: JobEvent[] = [
  { kind: 'PhaseChanged', phase: 'preparing', time: START + 2 },
  { kind: 'PhaseChanged', phase: 'running', time: START + 43 }
];
const progress = (done: number, time: number): JobEvent => ({ kind: 'Progress', done, total: 50, unit: 'epoch', time });

test.each<[Status, string, string]>([
  ['created', '○', 'Created'],
  ['packaging', '○', 'Packaging'],
  ['submitting', '○', 'Submitting'],
  ['queued', '◔', 'Queued'],
  ['running', '●', 'Running'],
  ['succeeded', '✓', 'Succeeded'],
  ['failed', '✗', 'Failed'],
  ['stopped', '■', 'Stopped'],
  ['unknown', '?', 'Unknown']
])('the status %s is said by glyph and word', (status, glyph, word) => {
  const state = part(header({ status }), 'state');
  expect(state.textContent).toBe(glyph + word);
  expect(state.dataset['status']).toBe(status);
  expect(part(header({ status }), 'glyph').getAttribute('aria-hidden')).toBe('true');
});

test('star and tags, and nothing where there are none', () => {
  const made = header({}, { is_starred: true, tags: ['best', '<b>'] });
  expect([part(made, 'star').hidden, part(made, 'star').getAttribute('aria-label')]).toEqual([false, 'starred']);
  expect([...part(made, 'tags').children].map(tag => tag.textContent)).toEqual(['best', '<b>']);
  const bare = header({});
  expect([part(bare, 'star').hidden, part(bare, 'tags').children.length]).toEqual([true, 0]);
});

test('name, place, instances and the time with its limit', () => {
  const made = header({}, { instance_count: 4 });
  expect(part(made, 'name').textContent).toBe('iris-3fa2c1');
  expect(part(made, 'place').textContent).toBe('Docker · local ×4');
  expect(part(made, 'place').title).toBe('Docker · local ×4\nan image is given');
  expect(part(made, 'time').textContent).toBe('03:10 / max 2:00:00');
});

test('without a limit the time stands alone, and stands still after the end', () => {
  const entered = { running: START, succeeded: START + 61 };
  const made = header({ status: 'succeeded', entered }, { max_run_time: null }, START + 9_000);
  expect(part(made, 'time').textContent).toBe('01:01');
});

test('a job that has not begun shows no time', () => {
  expect(part(header({ status: 'created', entered: {} }), 'time').textContent).toBe('');
});

test('the time in each phase, and the one that goes on', () => {
  const list = part(header({ phases }), 'phases');
  expect([...list.children].map(item => item.textContent)).toEqual(['queued 2s', 'preparing 41s', 'running 2m29s']);
  expect([...list.children].map(item => item.hasAttribute('data-current'))).toEqual([false, false, true]);
});

test('drawing again updates the same elements', () => {
  const made = header({ phases });
  const item = part(made, 'phases').children[2];
  const model = { job: jobFacts(), state: runningState({ phases }), failure: null, counts: {}, now: () => START + 193 };
  made.draw(model);
  expect(part(made, 'phases').children[2]).toBe(item);
  expect(item?.textContent).toBe('running 2m30s');
});

describe('progress', () => {
  test('has percent, the time to go and the count', () => {
    const made = header({ first_progress: progress(1, START + 46), progress: progress(31, START + 192) });
    expect(part(made, 'progressText').textContent).toBe('62% · ETA 1m32s (epoch 31/50)');
    expect(part(made, 'bar').getAttribute('aria-valuenow')).toBe('62');
    expect(part(made, 'bar').style.getPropertyValue('--pj-part')).toBe('0.62');
  });

  test.each<[string, JobEvent | null]>([
    ['none', null],
    ['no total', { kind: 'Progress', done: 3, time: START }],
    ['a total of zero', { kind: 'Progress', done: 0, total: 0, time: START }]
  ])('that is not known (%s) has no bar', (_, known) => {
    expect(part(header({ first_progress: known, progress: known }), 'progress').hidden).toBe(true);
  });

  test('a unit that is not ours is not shown', () => {
    const odd: JobEvent = { kind: 'Progress', done: 1, total: 4, unit: '<b>x</b>', time: START };
    expect(part(header({ first_progress: odd, progress: odd }), 'progressText').textContent).toBe('25% (1/4)');
  });
});

describe('what changes moves nothing else', () => {
  test('the row of phases and progress has its place before there is any', () => {
    expect(part(header({ entered: {} }), 'second').hidden).toBe(false);
    const saved = new Header(translator('en'));
    expect(part(saved, 'second').hidden).toBe(false);
  });

  test('the bar ends the row, and the text beside it grows away from it', () => {
    const made = header({ first_progress: progress(1, START + 46), progress: progress(31, START + 192) });
    expect(part(made, 'progress').lastElementChild).toBe(part(made, 'bar'));
  });

  test('what may be cut off can be read whole', () => {
    const made = header({ phases }, { name: 'a-long-name', place: 'docker' });
    expect([part(made, 'name').title, part(made, 'place').title]).toEqual(['a-long-name', 'Docker · local ×1']);
    expect(part(made, 'phases').title).toBe('queued 2s ▸ preparing 41s ▸ running 2m29s');
  });
});

describe('the bar of a job that has ended', () => {
  const entered = { running: START + 2, failed: START + 50, stopped: START + 50, succeeded: START + 50 };
  const ended = (status: Status, done: number) => header({ status, entered, progress: progress(done, START + 46) });

  test.each<Status>(['failed', 'stopped'])('is not full if it %s in its last step', status => {
    const made = ended(status, 50);
    expect(Number(part(made, 'bar').style.getPropertyValue('--pj-part'))).toBeLessThan(0.97);
    expect(part(made, 'bar').getAttribute('aria-valuenow')).toBe('99');
    expect(part(made, 'bar').dataset['status']).toBe(status);
    expect(part(made, 'progressText').textContent).toBe('epoch 50/50');
  });

  test('shows how far a job came that failed before', () => {
    const made = ended('failed', 20);
    expect(part(made, 'bar').style.getPropertyValue('--pj-part')).toBe('0.4');
    expect(part(made, 'progressText').textContent).toBe('40% (epoch 20/50)');
  });

  test('is full where the job succeeded', () => {
    const made = ended('succeeded', 50);
    expect(part(made, 'bar').style.getPropertyValue('--pj-part')).toBe('1');
    expect(part(made, 'progressText').textContent).toBe('100% (epoch 50/50)');
  });

  test('says no epoch before the last where the job succeeded', () => {
    const made = ended('succeeded', 20);
    expect(part(made, 'bar').style.getPropertyValue('--pj-part')).toBe('1');
    expect(part(made, 'progressText').textContent).toBe('100%');
  });
});

test('speaks Chinese', () => {
  const state = { phases, first_progress: progress(1, START + 46), progress: progress(31, START + 192) };
  const text = header(state, {}, START + 192, 'zh').element.textContent;
  expect(text).toContain('运行中');
  expect(text).toContain('最长 2:00:00');
  expect(text).toContain('62% · 剩余 1m32s (轮次 31/50)');
});

describe('what a notebook has saved', () => {
  const saved: SavedJob = {
    schema: 1,
    id: 'j',
    name: 'iris',
    state: 'running',
    place: 'docker · local ×1',
    at: '2026-11-20T04:00:00Z',
    times: {},
    values: { lr: '0.01' },
    metrics: { acc: 0.9, loss: 'nan' },
    is_cut: false
  };

  test('is shown with its time, and a state that may be over as such', () => {
    const made = new Header(translator('en'));
    made.drawSaved(saved);
    expect(part(made, 'name').textContent).toBe('iris');
    expect(part(made, 'time').textContent).toMatch(/^as of 2026-11-(19|20) \d\d:\d\d$/);
    expect(part(made, 'state').hasAttribute('data-saved')).toBe(true);
  });

  test('gives way to the job itself', () => {
    const made = new Header(translator('en'));
    made.drawSaved(saved);
    made.draw({ job: jobFacts(), state: runningState(), failure: null, counts: {}, now: () => START + 3 });
    expect(part(made, 'state').hasAttribute('data-saved')).toBe(false);
    expect(part(made, 'time').textContent).not.toContain('as of');
  });

  test('values and metrics are listed', () => {
    const text = savedFacts(saved, translator('en')).textContent;
    expect(text).toBe('Hyperparameterslr=0.01Latest metricsacc=0.9, loss=nan');
  });

  test.each([
    ['nothing', null],
    ['no objects', { ...saved, values: 'x', metrics: 7 }],
    ['nested things', { ...saved, values: { a: { b: 1 } }, metrics: { c: [1] } }]
  ])('that is %s shows nothing', (_, odd) => {
    expect(savedFacts(odd as SavedJob | null, translator('en')).hidden).toBe(true);
  });

  test('with fields of any kind draws text or nothing', () => {
    const made = new Header(translator('en'));
    made.drawSaved({ name: { a: 1 }, state: ['x'], place: 7, at: { b: 2 } } as unknown as SavedJob);
    expect(part(made, 'state').textContent).toBe('?Unknown');
    expect(part(made, 'time').textContent).toBe('');
  });
});

describe('notes', () => {
  const notes = (state: Partial<JobStateJson>) => {
    const made = new Notes(translator('en'));
    made.drawState(runningState(state));
    return made;
  };
  const notice = (text: string): JobEvent => ({ kind: 'Notice', text, time: START });

  test('the last three notices, and why a job waits', () => {
    const made = notes({ reason: 'waiting for a GPU', notices: ['a', 'b', 'c', 'd'].map(notice) });
    const shown = [...part(made, 'notices').children].map(item => item.textContent);
    expect(shown).toEqual(['waiting for a GPU', 'b', 'c', 'd']);
  });

  test('links of the web open elsewhere and tell nothing; others are text', () => {
    const bad = { Bad: 'javascript:alert(1)', Worse: 'data:text/html,x' };
    const made = notes({ links: { Console: 'https://pai.example/x', ...bad } });
    const links = [...made.element.querySelectorAll('a')];
    expect(links.map(link => [link.textContent, link.href, link.rel, link.target])).toEqual([
      ['Console', 'https://pai.example/x', 'noopener noreferrer', '_blank']
    ]);
    expect(part(made, 'links').textContent).toContain('Bad: javascript:alert(1)');
  });

  test('a link of a known kind is called by what it opens', () => {
    const made = notes({ links: { console: 'https://a', page: 'https://b', constructor: 'https://c' } });
    const names = [...made.element.querySelectorAll('a')].map(link => link.textContent);
    expect(names).toEqual(['Open in PAI console', "Open the job's page", 'constructor']);
  });

  test('are left alone while they say the same', () => {
    const made = notes({ links: { Console: 'https://pai.example/x' } });
    const link = made.element.querySelector('a');
    made.drawState(runningState({ links: { Console: 'https://pai.example/x' } }));
    expect(made.element.querySelector('a')).toBe(link);
  });

  test.each([
    ['live', '', ''],
    ['busy', '', 'Kernel busy. The log keeps updating.'],
    ['offline', '', 'Connection lost. Reconnecting…'],
    ['offline', 'There is no job `x`.', 'There is no job `x`.']
  ] as const)('a connection that is %s with %j says %j', (status, message, text) => {
    const made = new Notes(translator('en'));
    made.drawConnection(status, message);
    expect(part(made, 'connection').textContent).toBe(text);
    expect(part(made, 'connection').hidden).toBe(text === '');
  });
});

test('what a job costs is said beside its time, and nothing where no price is known', () => {
  const cost = { currency: 'CNY', per_hour: 360, ceiling: 720, is_rehearsal: true };
  const told = part(header({}, { cost }), 'cost');
  expect(told.textContent).toBe('≤ ¥720.00 · ¥19.00 so far');
  expect(told.title).toBe('≤ ¥720.00 · ¥19.00 so far\nA rehearsal at the emulator: nothing is charged');
  expect(part(header({}), 'cost').textContent).toBe('');
});
