// @vitest-environment jsdom

import { afterEach, beforeEach, expect, it } from 'vitest';

import { resourcesPane } from '../../src/charts/resources.js';
import type { Pane, Series } from '../../src/tokens.js';
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
