// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { ChartMaker } from '../../src/charts/chart.js';
import { Comparison } from '../../src/compare/comparison.js';
import type { CustomChart } from '../../src/compare/customcharts.js';
import type { DifferenceAnswer } from '../../src/panel/protocol.js';
import { panelSay } from '../../src/panel/translation.js';
import type { JobFacts, JobStateJson } from '../../src/tokens.js';
import { FakeChart, find, type Given, given } from '../charts/stage.js';
import { FakeSource, jobFacts, runningState, START } from '../fakes.js';
import { turns } from '../turns.js';

const SAME: DifferenceAnswer = { lines: [{ kind: 'same', text: 'x = 1' }], is_cut: false };

/** Jobs beside one another: their sources, the charts that were made, the differences that were asked for. */
class Scene {
  readonly sources: FakeSource[];
  readonly charts: FakeChart[] = [];
  readonly asked: string[] = [];
  readonly held = new Map<string, Given[]>();
  readonly baselines: string[] = [];
  difference: () => DifferenceAnswer = () => SAME;
  tell: (charts: readonly CustomChart[]) => void = () => undefined;
  keep: (charts: readonly CustomChart[]) => void = charts => this.kept.push(charts);
  readonly kept: (readonly CustomChart[])[] = [];
  readonly comparison: Comparison;

  constructor(...jobs: [Partial<JobFacts>, Partial<JobStateJson>?][]) {
    this.sources = jobs.map(([facts, state]) => new FakeSource(jobFacts(facts), runningState(state)));
    for (const source of this.sources) {
      source.answers.points = () => {
        const own = this.held.get(source.job) ?? [];
        return { ok: { series: own.map(({ series }) => series), notes: [] }, buffers: own.map(({ buffer }) => buffer) };
      };
    }
    const ask = async (from: string, to: string): Promise<DifferenceAnswer> => {
      this.asked.push(`${from} ${to}`);
      return this.difference();
    };
    const load = async (): Promise<ChartMaker> => (holder, group, listener) => {
      const chart = new FakeChart(holder, group, listener);
      this.charts.push(chart);
      return chart;
    };
    this.comparison = new Comparison(panelSay('en'), this.sources, ask, {
      load,
      store: { follow: changed => ((this.tell = changed), () => undefined), save: async charts => this.keep(charts) },
      onBaseline: job => this.baselines.push(job)
    });
    document.body.append(this.comparison.element);
  }

  async open(): Promise<this> {
    this.comparison.show(true);
    this.sources.forEach(source => source.snapshot());
    await turns();
    return this;
  }

  choose(label: string, value: string): void {
    const made = document.querySelector<HTMLSelectElement>(`select[aria-label="${label}"]`);
    if (made === null) {
      throw new Error(`no choice "${label}"`);
    }
    made.value = value;
    made.dispatchEvent(new Event('change'));
  }

  press(label: string): void {
    find<HTMLButtonElement>('button', label).click();
  }

  /** The titles of charts and of their groups, in order. */
  get titles(): string[] {
    const parts = document.querySelectorAll('.pj-JobView-cardGroup, .pj-JobView-card h4');
    return [...parts].map(part => part.textContent ?? '');
  }

  row(name: string): string[] {
    const rows = [...document.querySelectorAll('tbody tr')];
    const cells = rows.map(row => [...row.children].map(cell => cell.textContent ?? ''));
    return cells.find(([first = '']) => first.replace('≠ ', '') === name) ?? [];
  }
}

let scene: Scene;
const [A, B] = [
  { id: 'job-a', name: 'iris-a' },
  { id: 'job-b', name: 'iris-b' }
];

afterEach(() => {
  scene.comparison.dispose();
  vi.useRealTimers();
});

describe('the tables', () => {
  it('have a column a job, with how it stands', async () => {
    const entered = { running: 0, failed: 65 };
    const over: Partial<JobStateJson> = { status: 'failed', reason: 'exit code 3', entered };
    scene = await new Scene([A], [{ ...B, place: 'cn-hangzhou', instance_count: 2 }, over]).open();
    const headings = [...document.querySelectorAll('thead tr')].map(row => row.textContent);
    expect(headings).toContain('Jobiris-airis-b');
    expect(scene.row('State')).toEqual(['State', '● Running', '✗ Failed']);
    expect(scene.row('Reason')).toEqual(['Reason', '–', 'exit code 3']);
    expect(scene.row('Running time').at(-1)).toBe('01:05');
    expect(scene.row('Instances')).toEqual(['≠ Instances', 'local ×1', 'local ×2']);
    expect(scene.row('Notebook')).toEqual(['Notebook', 'iris.ipynb', 'iris.ipynb']);
  });

  it('mark the values that differ, not by colour alone', async () => {
    const values = { lr: 0.1, epochs: 50, opt: 'a b', amp: true };
    scene = await new Scene([A], [{ ...B, values }]).open();
    expect(scene.row('lr')).toEqual(['≠ lr', '0.01', '0.1']);
    expect(scene.row('epochs')).toEqual(['epochs', '50', '50']);
    expect(scene.row('opt')).toEqual(['≠ opt', '–', 'a b']);
    expect(scene.row('amp')).toEqual(['≠ amp', '–', 'True']);
  });

  it('mark a place that differs, not the reason why it was chosen', async () => {
    const place = 'docker (as job j1)';
    scene = await new Scene([A], [{ ...B, place }], [{ id: 'c', backend: 'pai', place: 'cn-hangzhou' }]).open();
    expect(scene.row('Run on')[0]).toBe('≠ Run on');
    scene.comparison.dispose();
    scene = await new Scene([A], [{ ...B, place }]).open();
    expect(scene.row('Run on')).toEqual(['Run on', 'Docker', 'Docker']);
  });

  it('can be had without what is the same', async () => {
    scene = await new Scene([A], [{ ...B, values: { lr: 0.1, epochs: 50 } }]).open();
    const only = [...document.querySelectorAll('button')].find(one => one.textContent === 'Differences only');
    only?.click();
    expect([scene.row('lr').length, scene.row('epochs').length]).toEqual([3, 0]);
    only?.click();
    expect(scene.row('epochs').length).toBe(3);
  });

  it('of metrics is not there while there are none, which the charts say', async () => {
    scene = await new Scene([A], [B]).open();
    const headings = (): (string | null)[] =>
      [...document.querySelectorAll('h3')].filter(one => !one.closest('[hidden]')).map(one => one.textContent);
    expect(headings()).not.toContain('Final metrics');
    scene.sources[0]?.news({ kind: 'Metric', name: 'acc', value: 1, step: 3, time: START + 40 });
    expect(headings()).toContain('Final metrics');
  });

  it('follow the jobs, in the cells that stand', async () => {
    scene = await new Scene([A, { metrics: { acc: [0.5, 2, 0.5, 0.5, 1] } }], [B]).open();
    const cell = [...document.querySelectorAll('td')].find(one => one.textContent === '0.5 (step 2)');
    scene.sources[0]?.news({ kind: 'Metric', name: 'acc', value: 'nan', step: 3, time: START + 40 });
    expect(cell?.textContent).toBe('nan (step 3)');
    expect(cell?.isConnected).toBe(true);
    expect(scene.row('acc')).toEqual(['acc', 'nan (step 3)', '–']);
  });

  it.each([
    ['same', 'same', { lr: 0.1 }, { lr: 0.1 }, 'Jobsame (job-a)same (job-b)'],
    ['same', 'same', { lr: 0.1, n: 1 }, { lr: 0.3, n: 1 }, 'Joblr=0.1lr=0.3'],
    ['same-1', 'same-2', { lr: 0.1 }, { lr: 0.3 }, 'Jobsame-1 · lr=0.1same-2 · lr=0.3'],
    ['one', 'two', { lr: 0.1 }, { lr: 0.3 }, 'Jobonetwo']
  ])('call jobs %s and %s by what tells them apart', async (one, other, values, others, expected) => {
    scene = await new Scene([{ ...A, name: one, values }], [{ ...B, name: other, values: others }]).open();
    expect(document.querySelector('.pj-JobView-sideBySide thead tr')?.textContent).toBe(expected);
  });

  it('show what a job says as text', async () => {
    const values = { '<b>x</b>': '<img src=x>\u001b[31m', __proto__: 1 };
    scene = await new Scene([{ ...A, values }], [{ ...B, name: '<i>b</i>' }]).open();
    expect(document.querySelector('img, b, i')).toBeNull();
    expect(scene.row('<b>x</b>')[1]).toBe('<img src=x>');
  });
});

describe('the last metrics', () => {
  const metrics = (acc: number, loss: number, lr: number): JobStateJson['metrics'] => {
    return { acc: [acc, 2, acc, acc, 1], loss: [loss, 2, loss, loss, 1], lr: [lr, 2, lr, lr, 1] };
  };

  it('say which of them is the best, where its name tells what is better', async () => {
    const [one, other] = [{ metrics: metrics(0.5, 0.1, 1) }, { metrics: metrics(0.75, 0.2, 2) }];
    scene = await new Scene([A, one], [B, other]).open();
    expect(scene.row('acc')).toEqual(['acc', '0.5 (step 2)', '0.75 (step 2) · best']);
    expect(scene.row('loss')).toEqual(['loss', '0.1 (step 2) · best', '0.2 (step 2)']);
    expect(scene.row('lr')).toEqual(['lr', '1 (step 2)', '2 (step 2)']);
    expect([...document.querySelectorAll('[data-best]')].map(cell => cell.textContent)).toHaveLength(2);
    scene.sources[0]?.news({ kind: 'Metric', name: 'acc', value: 0.9, step: 3, time: START + 40 });
    expect(scene.row('acc')).toEqual(['acc', '0.9 (step 3) · best', '0.75 (step 2)']);
  });
});

describe('a baseline', () => {
  it('gives every other job its difference, in metrics and in values', async () => {
    const metrics = (acc: number): JobStateJson['metrics'] => ({ acc: [acc, 2, acc, acc, 1] });
    const values = { lr: 0.1, epochs: 50 };
    scene = await new Scene([A, { metrics: metrics(0.5) }], [{ ...B, values }, { metrics: metrics(0.75) }]).open();
    scene.choose('Baseline', 'job-a');
    expect(scene.row('acc')).toEqual(['acc', '0.5 (step 2)', '0.75 (step 2) · +0.25 (+50 %) · best']);
    expect(scene.row('lr')).toEqual(['≠ lr', '0.01', '≠ 0.1']);
    expect(scene.row('epochs')).toEqual(['epochs', '50', '50']);
    scene.choose('Baseline', '');
    expect(scene.row('acc').at(-1)).toBe('0.75 (step 2) · best');
    expect(scene.baselines).toEqual(['job-a', '']);
  });

  it('without the metric gives none', async () => {
    scene = await new Scene([A], [B, { metrics: { acc: [0.75, 2, 0.75, 0.75, 1] } }]).open();
    scene.choose('Baseline', 'job-a');
    expect(scene.row('acc')).toEqual(['acc', '–', '0.75 (step 2)']);
  });
});

describe('which values a metric follows', () => {
  const trial = (id: string, lr: number, acc: number): [Partial<JobFacts>, Partial<JobStateJson>] => [
    { id, name: id, values: { lr, opt: 'adam' } },
    { metrics: { acc: [acc, 2, acc, acc, 1] } }
  ];

  it('is drawn, and stands in a table', async () => {
    scene = await new Scene(trial('a', 0.1, 0.9), trial('b', 0.2, 0.8), trial('c', 0.3, 0.7)).open();
    expect(scene.row('lr').length).toBe(4);
    const table = document.querySelector('.pj-JobView-parallel table');
    expect([...(table?.querySelectorAll('tbody tr') ?? [])].map(row => row.textContent)).toEqual(['lr−13']);
    const paths = [...document.querySelectorAll('.pj-JobView-trial')].map(path => path.getAttribute('d'));
    expect(paths).toEqual(['M64 228 L196 28', 'M64 128 L196 128', 'M64 28 L196 228']);
    expect(document.querySelector('.pj-JobView-parallel')?.textContent).toContain('It is not a cause');
  });

  it('leaves out a job that has no line, also from the axes, and says what it lacks', async () => {
    const other = trial('d', 9, 0.5);
    scene = await new Scene(trial('a', 0.1, 0.9), trial('b', 0.2, 0.8), [other[0], { metrics: {} }]).open();
    const paths = [...document.querySelectorAll('.pj-JobView-trial')].map(path => path.getAttribute('d'));
    expect(paths).toEqual(['M64 228 L196 28', 'M64 28 L196 228']);
    const text = document.querySelector('.pj-JobView-parallel')?.textContent;
    expect(text).toContain('Not drawn: 1 of 3 jobs (no acc).');
    expect(text).toContain('lr0.10.2accacc0.80.9Importance'); // what stands beside the axes
  });

  it('is not told of two jobs, nor where no value differs', async () => {
    scene = await new Scene(trial('a', 0.1, 0.9), trial('b', 0.2, 0.8)).open();
    expect(document.querySelector('.pj-JobView-parallel')?.textContent).toContain('at least 3 jobs');
    scene.comparison.dispose();
    scene = await new Scene(trial('a', 0.1, 0.9), trial('b', 0.1, 0.8)).open();
    expect(document.querySelector<HTMLElement>('.pj-JobView-parallel')?.hidden).toBe(true);
  });
});

describe('charts', () => {
  it('of training and validation lie over one another on request', async () => {
    scene = new Scene([A], [B]);
    for (const job of ['job-a', 'job-b']) {
      scene.held.set(job, [given('val_loss', [2, 3]), given('train_loss', [1, 2]), given('lr', [1, 1])]);
    }
    await scene.open();
    expect(scene.titles).toEqual(['lr', 'train_loss', 'val_loss']);
    scene.press('Train and validation together');
    await turns();
    expect(scene.titles).toEqual(['loss', 'lr']);
    const labels = [
      ...(document.querySelectorAll('.pj-JobView-card')[0]?.querySelectorAll('.pj-JobView-legendLabel') ?? [])
    ];
    expect(labels.map(label => label.textContent)).toEqual([
      'iris-a · train',
      'iris-b · train',
      'iris-a · val',
      'iris-b · val'
    ]);
    const styles = scene.charts.map(chart => chart.frame?.styles);
    expect(styles).toContainEqual([0, 1, 8, 9]);
  });

  it('stand in groups by what is before the slash, which fold', async () => {
    scene = new Scene([A], [B]);
    scene.held.set(
      'job-a',
      ['z/b', 'acc', 'a/c', 'a/b'].map(name => given(name, [1, 2]))
    );
    await scene.open();
    expect(scene.titles).toEqual(['acc', 'a', 'a/b', 'a/c', 'z', 'z/b']);
    find<HTMLButtonElement>('.pj-JobView-cardGroup', 'a').click();
    const hidden = [...document.querySelectorAll<HTMLElement>('.pj-JobView-card')].map(card => card.hidden);
    expect(hidden).toEqual([false, true, true, false]);
    scene.press('Groups');
    await turns();
    expect(scene.titles).toEqual(['a/b', 'a/c', 'acc', 'z/b']);
  });

  it('of the user come first, over what he says, and are kept', async () => {
    scene = new Scene([A], [B]);
    scene.held.set('job-a', [given('acc', [0.1, 0.2, 0.3]), given('tokens', [300, 100, 200]), given('z/b', [1, 2])]);
    await scene.open();
    scene.tell([{ title: '', x: 'tokens', y: ['acc'], smoothing: 0, log: false }]);
    await turns();
    expect(scene.titles).toEqual(['Own charts', 'acc / tokens', 'Metrics', 'acc', 'tokens', 'z', 'z/b']);
    expect(scene.charts.map(chart => chart.frame?.plot)).toContainEqual(
      expect.objectContaining({ x: [100, 200, 300], raw: [[0.2, 0.3, 0.1]] })
    );
    find<HTMLButtonElement>('button', 'Remove').click();
    expect(scene.kept).toEqual([[]]);
    scene.tell([]);
    await turns();
    expect(scene.titles).toEqual(['acc', 'tokens', 'z', 'z/b']);
  });

  it('of the user that cannot be kept are not lost in silence', async () => {
    scene = new Scene([A], [B]);
    scene.held.set('job-a', [given('acc', [0.1, 0.2])]);
    await scene.open();
    scene.keep = () => {
      throw new Error('The settings are read-only.');
    };
    const [metrics] = [...document.querySelectorAll<HTMLSelectElement>('select[multiple]')];
    [...(metrics?.options ?? [])].forEach(option => (option.selected = true));
    scene.press('Save chart');
    await turns();
    expect(find('.pj-JobView-chartList [role=alert]').textContent).toBe('The settings are read-only.');
    expect(find('.pj-JobView-chartList [role=alert]').hidden).toBe(false);
    expect(scene.titles.slice(0, 2)).toEqual(['Own charts', 'acc']);
  });
});

describe('the curves', () => {
  it('come first, and columns have their colours', async () => {
    scene = new Scene([A], [B], [{ id: 'job-c', name: 'iris-c' }]);
    const own = given('acc', [0.1, 0.2]);
    scene.held
      .set('job-a', [given('loss', [1, 2])])
      .set('job-b', [own])
      .set('job-c', [own]);
    await scene.open();
    const [charts, table] = ['.pj-JobView-charts', '.pj-JobView-sideBySide'].map(part => document.querySelector(part));
    expect(charts && table && charts.compareDocumentPosition(table)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const colours = (place: Element): string[] =>
      [...place.querySelectorAll<HTMLElement>('.pj-JobView-swatch')].map(one => one.style.borderTop);
    const [acc, loss] = [...document.querySelectorAll('.pj-JobView-legend')].map(colours);
    const columns = colours(document.querySelector('.pj-JobView-sideBySide thead') ?? document.body);
    expect(new Set(columns).size).toBe(3);
    expect([loss, acc]).toEqual([[columns[0]], [columns[1], columns[2]]]);
    expect(scene.charts.map(chart => chart.frame?.styles)).toEqual(expect.arrayContaining([[1, 2], [0]]));
  });

  it('of the replicas of one job have its colour and patterns of their own', async () => {
    scene = new Scene([A], [B]);
    scene.held.set(
      'job-b',
      ['worker-0', 'worker-1'].map(replica => given('acc', [1, 2], { replica }))
    );
    await scene.open();
    const [one = '', other = ''] = [
      ...document.querySelectorAll<HTMLElement>('.pj-JobView-legend .pj-JobView-swatch')
    ].map(swatch => swatch.style.borderTop);
    expect(one.replace(/solid|dashed|dotted/, '')).toBe(other.replace(/solid|dashed|dotted/, ''));
    expect(one).not.toBe(other);
  });

  it('lie over one another, each from where its job began', async () => {
    scene = new Scene([A], [B, { entered: { running: START + 100 } }]);
    const later = given('acc', [0.3, 0.4]);
    new Float64Array(later.buffer).set([START + 101, START + 102], 2);
    scene.held.set('job-a', [given('acc', [0.1, 0.2])]).set('job-b', [later]);
    await scene.open();
    const legend = [...document.querySelectorAll('.pj-JobView-legendLabel')].map(one => one.textContent);
    expect(legend).toEqual(['iris-a', 'iris-b']);
    const axis = document.querySelector<HTMLSelectElement>('[aria-label="Over"]');
    if (axis) {
      axis.value = 'time';
      axis.dispatchEvent(new Event('change'));
    }
    await turns();
    expect(scene.charts[0]?.frame?.plot).toMatchObject({
      x: [1, 2],
      raw: [
        [0.1, 0.2],
        [0.3, 0.4]
      ]
    });
  });

  it('have a chart a metric, and replicas where a job has several', async () => {
    scene = new Scene([A], [B]);
    const replicas = ['worker-0', 'worker-1'].map(replica => given('acc', [1], { replica }));
    scene.held.set('job-a', replicas).set('job-b', [given('acc', [2]), given('loss', [3])]);
    await scene.open();
    const labels = [...document.querySelectorAll('.pj-JobView-card')].map(card =>
      [...card.querySelectorAll('h4, .pj-JobView-legendLabel')].map(one => one.textContent)
    );
    expect(labels).toEqual([
      ['acc', 'iris-a · worker-0', 'iris-a · worker-1', 'iris-b'],
      ['loss', 'iris-b']
    ]);
  });

  it('are read out with what tells them apart, at the end of a long name', async () => {
    const name = 'an-experiment-of-which-there-are-many-with-one-name';
    scene = new Scene([{ id: 'job-a', name }], [{ id: 'job-b', name }]);
    scene.held.set('job-a', [given('acc', [1, 2])]).set('job-b', [given('acc', [1, 3])]);
    await scene.open();
    const label = document.querySelector('.pj-JobView-card canvas')?.getAttribute('aria-label') ?? '';
    expect(label).toContain('(job-a)');
    expect(label).toContain('(job-b)');
  });

  it('go on while a job runs; charts of others are not drawn again', async () => {
    scene = new Scene([A], [B]);
    scene.held.set('job-a', [given('acc', [1, 1])]).set('job-b', [given('loss', [1, 1])]);
    await scene.open();
    const draws = scene.charts.map(chart => chart.draws);
    const { series, buffer } = given('acc', [1, 2]);
    scene.sources[0]?.push({ kind: 'points', group: 'metrics', series: [series], notes: [] }, [buffer]);
    await turns();
    expect(scene.charts.map(chart => chart.draws)).toEqual([(draws[0] ?? 0) + 1, draws[1]]);
  });

  it('say so where there are none, and why where they cannot be read', async () => {
    scene = await new Scene([A], [B]).open();
    expect(document.querySelector('.pj-JobView-charts [role=status]')?.textContent).toBe(
      'None of these jobs has metrics so far.'
    );
    scene.sources[1]?.refuse('points', 'The disk is away.');
    scene.sources[1]?.snapshot();
    await turns();
    expect(document.querySelector('.pj-JobView-charts [role=status]')?.textContent).toBe('iris-b: The disk is away.');
  });
});

describe('the code', () => {
  it('is asked for from the oldest job to the newest, and of those that are chosen', async () => {
    scene = await new Scene([{ ...A, created: 2 }], [{ ...B, created: 3 }], [{ id: 'job-c', created: 1 }]).open();
    const from = document.querySelector<HTMLSelectElement>('[aria-label="From"]');
    if (from) {
      from.value = 'job-a';
      from.dispatchEvent(new Event('change'));
    }
    expect(scene.asked).toEqual(['job-c job-b', 'job-a job-b']);
    expect(from?.selectedOptions[0]?.textContent).toBe('iris-a');
  });

  it('has signs before what differs', async () => {
    const lines: DifferenceAnswer['lines'] = [
      { kind: 'skipped', text: '12' },
      { kind: 'same', text: '\tx = 1' },
      { kind: 'gone', text: '<b>lr</b> = 1' },
      { kind: 'new', text: 'lr = 2\u001b[31m' }
    ];
    scene = new Scene([A], [B]);
    scene.difference = () => ({ lines, is_cut: true });
    await scene.open();
    const shown = [...document.querySelectorAll('.pj-JobView-code > *')].map(one => [one.tagName, one.textContent]);
    expect(shown).toEqual([
      ['DIV', '⋯ 12 lines\n'],
      ['DIV', '  \tx = 1\n'],
      ['DEL', '− <b>lr</b> = 1\n'],
      ['INS', '+ lr = 2\n']
    ]);
    expect(document.querySelector('.pj-JobView-difference')?.textContent).toContain('more lines than are shown');
  });

  it('that is the same is said to be', async () => {
    scene = await new Scene([A], [B]).open();
    expect(document.querySelector('.pj-JobView-difference')?.textContent).toContain('The scripts are the same.');
  });

  it('that could not be had is asked for again when the connection is back, and not at every news', async () => {
    scene = new Scene([A], [B]);
    scene.difference = () => {
      throw new Error('The server cannot be reached.');
    };
    await scene.open();
    expect(document.querySelector('.pj-JobView-difference')?.textContent).toContain('The server cannot be reached.');
    const before = scene.asked.length;
    scene.sources[0]?.news({ kind: 'Metric', name: 'acc', value: 1, time: START + 40 });
    expect(scene.asked.length).toBe(before);
    scene.sources.forEach(source => source.go('offline'));
    scene.sources.forEach(source => source.go('live'));
    expect(scene.asked.length).toBe(before + 1);
  });
});

describe('a job that cannot be read', () => {
  it('spoils its own column only, and says why', async () => {
    scene = new Scene([A], [B]);
    scene.comparison.show(true);
    scene.sources[0]?.snapshot();
    scene.sources[1]?.go('offline', 'There is no job job-b here.');
    await turns();
    expect(scene.row('State')).toEqual(['State', '● Running', '? Unknown']);
    expect(document.querySelector('.pj-JobView-troubles')?.textContent).toBe('job-b: There is no job job-b here.');
  });

  it('for want of a connection is like all the others', async () => {
    scene = await new Scene([A], [B]).open();
    scene.sources.forEach(source => source.go('offline'));
    expect(document.querySelector('.pj-JobView-troubles')?.textContent).toBe('Connection lost. Reconnecting…');
    scene.sources.forEach(source => source.go('live'));
    expect(document.querySelector<HTMLElement>('.pj-JobView-troubles')?.hidden).toBe(true);
  });
});

describe('a comparison', () => {
  it('that is hidden asks for nothing', async () => {
    scene = new Scene([A], [B]);
    scene.sources.forEach(source => source.snapshot());
    await turns();
    expect([scene.asked, ...scene.sources.map(source => source.count('points'))]).toEqual([[], 0, 0]);
    scene.comparison.show(true);
    scene.comparison.show(false);
    await turns();
    expect(scene.sources[0]?.heard.at(-1)).toEqual(['points', { group: 'metrics', live: false }]);
  });

  it('counts the time of jobs that run, and leaves nothing behind', async () => {
    vi.useFakeTimers();
    scene = new Scene([A], [B]);
    scene.comparison.show(true);
    scene.sources.forEach(source => source.snapshot());
    const before = scene.row('Running time')[1];
    vi.advanceTimersByTime(5_000);
    expect(scene.row('Running time')[1]).not.toBe(before);
    scene.comparison.dispose();
    expect([vi.getTimerCount(), ...scene.sources.map(source => source.listenerCount)]).toEqual([0, 0, 0]);
  });
});
