// @vitest-environment jsdom

import { afterEach, beforeEach, expect, it } from 'vitest';

import { resourcesPane } from '../../src/charts/resources.js';
import type { Pane, Series } from '../../src/tokens.js';
import { jobFacts } from '../fakes.js';
import { cells, find, given, type Given, settled, Stage, titles } from './stage.js';

const GIB = 2 ** 30;
let stage: Stage;
let pane: Pane;

beforeEach(() => {
  stage = new Stage();
});

afterEach(() => {
  pane.dispose();
  document.body.replaceChildren();
});

function usage(name: string, unit: string, values: number[], replica = 'worker-0'): Given {
  const changes: Partial<Series> = { source: 'usage', unit, replica };
  return given(name, values, changes);
}

const ALL = [
  usage('gpu_memory', 'B', [GIB]),
  usage('gpu', 'ratio', [0.5, 0.75]),
  usage('memory', 'B', [GIB, 3 * GIB, 2 * GIB]),
  usage('cpu', 'cores', [1, 2], 'worker-1'),
  usage('cpu', 'cores', [1.5, 0.5], 'worker-0')
];

async function open(...held: Given[]): Promise<void> {
  pane = await stage.open(resourcesPane, ...held);
}

it('asks for the samples, live while it is shown', async () => {
  await open(...ALL);
  pane.show(false);
  await settled();
  expect(stage.source.heard).toEqual([
    ['points', { group: 'usage', live: true }],
    ['points', { group: 'usage', live: false }]
  ]);
});

it('has one chart a kind, in the same order always, with one line a replica', async () => {
  await open(...ALL);
  expect(titles()).toEqual(['CPU (cores)', 'Memory', 'GPU load', 'GPU memory']);
  expect(stage.chart('CPU (cores)').frame?.plot.raw).toEqual([
    [1.5, 0.5],
    [1, 2]
  ]);
});

it('draws over the time since the job began, from zero', async () => {
  await open(...ALL);
  const frame = stage.chart('Memory').frame;
  expect([frame?.axis, frame?.plot.x, frame?.fromZero, frame?.unit]).toEqual(['time', [1, 2, 3], true, 'B']);
});

it('says the last and the highest value in units that people read', async () => {
  await open(...ALL);
  const text = (title: string) => stage.chart(title).canvas?.closest('.pj-JobView-card')?.textContent ?? '';
  expect(text('Memory')).toContain('2 GBmin 1 GB, max 3 GB');
  expect(text('GPU load')).toContain('75 %min 50 %, max 75 %');
  expect(stage.chart('Memory').canvas?.getAttribute('aria-label')).toBe('Memory: last 2 GB, min 1 GB, max 3 GB');
});

it('draws what is pushed', async () => {
  await open(usage('cpu', 'cores', [1]));
  await stage.push(usage('cpu', 'cores', [1, 3]));
  expect(stage.chart('CPU (cores)').frame?.plot.raw).toEqual([[1, 3]]);
});

it('leaves out kinds that it does not know', async () => {
  await open(usage('<b>disk</b>', 'B', [1]), usage('cpu', 'cores', [1]));
  expect(titles()).toEqual(['CPU (cores)']);
});

it('has the same numbers as a table', async () => {
  await open(usage('memory', 'B', [GIB, 2 * GIB]));
  find('button', 'Table').click();
  const [summary, points] = [...document.querySelectorAll('table')];
  expect(cells(summary)).toEqual([['Memory', 'worker-0', '2 GB', '1 GB', '2 GB', '2', '0']]);
  expect(cells(points)).toEqual([
    ['1', '00:01', '1 GB'],
    ['2', '00:02', '2 GB']
  ]);
});

it('says where there are no samples', async () => {
  await open();
  expect(find('[role=status]').textContent).toContain('No resource data yet');
});

it('does not promise samples of a job that nobody measures', async () => {
  stage.source.facts = jobFacts({ is_measured: false });
  await open();
  expect(find('[role=status]').textContent).toContain('The resources of this job are not measured.');
});

it('draws rates of disk and network in bytes per second, and says when the network was not measured', async () => {
  await open(usage('disk_written', 'B/s', [2 ** 20, 2 ** 21]));
  expect(titles()).toEqual(['Disk written']);
  expect(find('.pj-JobView-card').textContent).toContain('2 MB/s');
  expect(find('p', 'network').hidden).toBe(false);
  await stage.push(usage('net_sent', 'B/s', [1, 2]));
  expect(titles()).toEqual(['Disk written', 'Network out']);
  expect(find('p', 'network').hidden).toBe(true);
});

function limited(name: string, values: number[], more: Partial<Series>): Given {
  return given(name, values, { source: 'usage', unit: 'B', replica: 'worker-0', ...more });
}

it('draws a limit that is near as a line of its own, and says one that is far', async () => {
  await open(limited('memory', [GIB, 2 * GIB], { limit: 4 * GIB, total: 1 }), usage('cpu', 'cores', [1, 2]));
  expect(stage.chart('Memory').frame?.plot.raw).toEqual([
    [GIB, 2 * GIB],
    [4 * GIB, 4 * GIB]
  ]);
  expect(find('.pj-JobView-card').textContent).not.toContain('Limit');
  const before = stage.chart('Memory').frame;
  await stage.push(usage('cpu', 'cores', [1, 2, 3]));
  expect(stage.chart('Memory').frame).toBe(before); // it has the same lines
  pane.dispose();
  stage = new Stage();
  await open(limited('memory', [GIB / 10], { limit: 16 * GIB }));
  expect(find('.pj-JobView-card').textContent).toContain('Limit: 16 GB');
});

it('says what is used in all', async () => {
  await open(
    limited('disk_read', [1, 2], { unit: 'B/s', total: 3 * GIB }),
    limited('cpu', [1, 2], { unit: 'cores', total: 1_800 }),
    limited('cpu', [1, 2], { unit: 'cores', total: 3_600, replica: 'worker-1' })
  );
  expect(find('.pj-JobView-card', 'Disk read').textContent).toContain('Total: 3 GB');
  expect(find('.pj-JobView-card', 'CPU').textContent).toContain('Total: 1.5 hours');
});

it('offers stacks only while the job runs, and where the host can load them', async () => {
  await open();
  expect(find('button', 'Stacks').closest<HTMLElement>('.pj-JobView-tools')?.hidden).toBe(true);
  pane.dispose();
  const dumped: string[] = [];
  const part = {
    element: document.createElement('p'),
    dump: async () => void dumped.push('dump'),
    record: async () => void dumped.push('record'),
    dispose: () => void dumped.push('gone')
  };
  stage = new Stage('en', { loadStacks: async () => () => part });
  await open();
  find('button', 'Stacks').click();
  await settled();
  find('button', 'Record 10 s').click();
  await settled();
  expect(dumped).toEqual(['dump', 'record']);
  expect(part.element.isConnected).toBe(true);
  expect(find('button', 'Stacks').closest<HTMLElement>('.pj-JobView-tools')?.hidden).toBe(false);
  stage.source.news({ kind: 'StatusChanged', status: 'succeeded', time: 1_060 });
  await settled();
  expect(find('button', 'Stacks').closest<HTMLElement>('.pj-JobView-tools')?.hidden).toBe(true);
});
