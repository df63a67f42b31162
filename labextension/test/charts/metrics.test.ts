// @vitest-environment jsdom

import { describe, expect, it } from 'vitest';

import { metricsPane } from '../../src/charts/metrics.js';
import { begin, box, kept, legend, open, press, set, stage } from './metricstab.js';
import { cells, find, given, settled, titles } from './stage.js';

describe('the series', () => {
  it('are asked for when the tab is shown, live, and not before', async () => {
    const pane = kept(metricsPane(stage.context));
    await settled();
    expect(stage.source.heard).toEqual([]);
    pane.show(true);
    await settled();
    expect(stage.source.heard).toEqual([['points', { group: 'metrics', live: true }]]);
  });

  it('are live no more while the tab is hidden, and are asked for again when it is shown', async () => {
    const shown = await open(given('loss', [1, 1]));
    shown.show(false);
    shown.show(true);
    shown.show(true);
    await settled();
    const lives = stage.source.heard.map(([, asked]) => (asked as { live: boolean }).live);
    expect(lives).toEqual([true, false, true]);
  });

  it('are asked for again when the server begins anew', async () => {
    await open(given('loss', [1, 1]));
    stage.held = [given('loss', [1, 2])];
    stage.source.snapshot();
    await settled();
    expect(stage.chart('loss').frame?.plot.raw).toEqual([[1, 2]]);
  });

  it('are replaced, whole, by those that are pushed', async () => {
    await open(given('loss', [1, 1]), given('acc', [9, 9]));
    await stage.push(given('loss', [1, 2]));
    expect([stage.chart('loss').frame?.plot.raw, stage.chart('acc').frame?.plot.raw]).toEqual([[[1, 2]], [[9, 9]]]);
  });

  it('that were pushed while the answer was on its way are newer than the answer', async () => {
    stage.source.go('busy');
    const pane = kept(
      metricsPane(stage.context, async () => {
        throw new Error('no charts');
      })
    );
    document.body.append(pane.element);
    pane.show(true);
    const { series, buffer } = given('loss', [1, 2, 3]);
    pane.update({ kind: 'points', group: 'metrics', series: [series], notes: [], seq: 0 }, [buffer]);
    stage.held = [given('loss', [1, 1])];
    stage.source.go('live');
    await settled();
    await press('Table');
    expect(cells(document.querySelector('table'))).toEqual([['loss', 'worker-0', '3', '1', '3', '3', '0']]);
  });

  it('say what is not in them, as text, as soon as that is known', async () => {
    await open(given('loss', [1, 1]));
    const note = (): HTMLElement => find('.pj-JobView-charts > .pj-JobView-quiet');
    expect(note().hidden).toBe(true);
    stage.notes = ['More than 400 series.', 'Damaged: \x1b[1m<img src=x>.'];
    await stage.push(given('loss', [1, 2]));
    expect([note().hidden, note().textContent]).toEqual([false, 'More than 400 series. Damaged: <img src=x>.']);
    stage.notes = [];
    stage.source.snapshot();
    await settled();
    expect(note().hidden).toBe(true);
  });

  it('of another tab are none of its business', async () => {
    await open(given('loss', [1, 1]));
    await stage.push(given('cpu', [1, 1], { source: 'usage' }));
    expect(titles()).toEqual(['loss']);
  });

  it('that cannot be had are excused with the sentence for the user, until another try', async () => {
    stage.source.refuse('points', 'The job folder is gone.');
    await open(given('loss', [1, 1]));
    expect(find('[role=status]').textContent).toBe('The job folder is gone.');
    stage.source.allow('points');
    await press('Try again');
    expect([titles(), find('button', 'Try again').hidden]).toEqual([['loss'], true]);
  });

  it('that are not there make room for what to do', async () => {
    await open();
    expect(find('[role=status]').textContent).toContain('PAI_OUTPUT_TENSORBOARD');
    expect(find('.pj-JobView-tools').hidden).toBe(true);
  });

  it('that an ended job has none of are said to have been none', async () => {
    stage.source.state = { ...stage.source.state, status: 'succeeded' };
    await open();
    expect(find('[role=status]').textContent).toContain('No metrics were recorded.');
  });
});

describe('the charts', () => {
  it('are one a metric, by name, replicas in one', async () => {
    await open(given('loss10', [1, 1]), given('loss2', [1, 1]), given('loss2', [3, 3], { replica: 'chief-0' }));
    expect(titles()).toEqual(['loss2', 'loss10']);
    expect(stage.chart('loss2').frame?.plot.raw).toEqual([
      [3, 3],
      [1, 1]
    ]);
    expect(legend('loss2').map(([label]) => label)).toEqual(['chief-0', 'worker-0']);
  });

  it('take in a replica that reports later, each line with its name and a style of its own', async () => {
    await open(given('loss', [1, 1], { replica: 'master-0' }));
    expect(legend('loss').map(([label]) => label)).toEqual(['Last value']);
    await stage.push(given('loss', [3, 3], { replica: 'worker-1' }), given('loss', [2, 2], { replica: 'worker-0' }));
    expect([titles(), stage.chart('loss').frame?.styles]).toEqual([['loss'], [0, 1, 2]]);
    expect(stage.chart('loss').frame?.plot.raw.map(([first]) => first)).toEqual([1, 2, 3]);
    expect(legend('loss').map(([label]) => label)).toEqual(['master-0', 'worker-0', 'worker-1']);
  });

  it('tell a metric of the log and one of TensorBoard apart', async () => {
    await open(given('loss', [1, 1]), given('loss', [2, 2], { source: 'tensorboard' }));
    expect(legend('loss').map(([label]) => label)).toEqual(['', 'TensorBoard']);
    await stage.push(given('loss', [3, 3], { source: 'tensorboard', replica: 'run/a' }));
    const labels = legend('loss').map(([label]) => label);
    expect(labels).toEqual(['run/a · TensorBoard', 'worker-0', 'worker-0 · TensorBoard']);
  });

  it('are one for all that share a scale when that is wished, and one each for the others', async () => {
    const lr = given('lr', [0.001, 0.0005]);
    await open(given('loss', [1, 1]), lr, given('acc', [2, 2]), given('best', [0.9]), given('s', [300, 310]));
    await press('One chart');
    expect(titles()).toEqual(['acc, loss', 'best', 'lr', 's']);
    expect(legend('acc, loss').map(([label]) => label)).toEqual(['acc', 'loss']);
    expect(stage.chart('acc, loss').frame?.height).toBe(360);
    await press('One chart');
    expect(titles()).toEqual(['acc', 'best', 'loss', 'lr', 's']);
  });

  it('are not offered as one where none shares a scale', async () => {
    await open(given('loss', [1, 1]), given('lr', [0.001, 0.001]), given('best', [0.9]));
    expect(find('button', 'One chart').hidden).toBe(true);
    await stage.push(given('val_loss', [1.5, 1.25]));
    expect(find('button', 'One chart').hidden).toBe(false);
  });

  it('are numbers where there is a single value, until there is another', async () => {
    await open(given('acc', [0.9375]));
    const card = find('.pj-JobView-card');
    const holder = find('.pj-JobView-plot');
    expect([stage.charts.length, find('.pj-JobView-figure').textContent]).toEqual([0, '0.9375']);
    expect(card.querySelectorAll('.pj-JobView-legendLine')).toHaveLength(0);
    expect([holder.getAttribute('role'), holder.getAttribute('tabindex'), find('button', 'PNG').hidden]).toEqual([
      null,
      null,
      true
    ]);
    await stage.push(given('acc', [0.9375, 0.95]));
    expect([find('.pj-JobView-figure').hidden, legend('acc')]).toEqual([
      true,
      [['Last value', '0.95', 'min 0.9375, max 0.95']]
    ]);
    expect([holder.getAttribute('role'), holder.getAttribute('tabindex')]).toEqual(['application', '0']);
  });

  it('are numbers with their names where each of several lines has a single value', async () => {
    await open(given('acc', [0.5]), given('acc', [0.75], { replica: 'worker-1' }));
    expect([stage.charts.length, find('.pj-JobView-figure').hidden]).toEqual([0, true]);
    const rows = [...document.querySelectorAll('.pj-JobView-legendLine')].map(row => row.textContent);
    expect(rows).toEqual(['worker-00.5', 'worker-10.75']);
  });

  it('hold sixteen lines, and say where the others are', async () => {
    const replicas = Array.from({ length: 20 }, (_, index) => `worker-${index}`);
    await open(...replicas.map((replica, index) => given('loss', [index, index], { replica })));
    expect(stage.chart('loss').frame?.plot.raw).toHaveLength(16);
    expect(find('.pj-JobView-legendNote', 'first 16 of 20').textContent).toContain('table');
  });

  it('are those whose name has the filter in it, whatever its case and signs', async () => {
    await open(given('Train/Loss (a+b)', [1, 1]), given('acc', [1, 1]));
    await set(find('[type=search]'), ' loss (A+');
    expect(titles()).toEqual(['Train/Loss (a+b)']);
    await set(find('[type=search]'), 'nothing like it');
    expect([titles(), find('[role=status]').textContent]).toEqual([[], 'No matching metrics']);
  });

  it('show what the controls say', async () => {
    await open(given('loss', [1, 10]));
    await set(find<HTMLSelectElement>('select'), 'time');
    await press('Log scale');
    await set(box('Smoothing'), '0.5');
    const frame = stage.chart('loss').frame;
    expect([frame?.axis, frame?.plot.x]).toEqual(['time', [1, 2]]);
    expect([frame?.plot.isLog, frame?.plot.smooth]).toEqual([true, [[1, 5.25 / 0.75]]]);
    expect(find('output').textContent).toBe('0.5');
  });

  it('show names as text, without escapes', async () => {
    const name = '<img src=x onerror="hurt()">\x1b[31m训练';
    await open(given(name, [1, 1]), given(name, [2, 2], { replica: '<b>r</b>' }));
    expect(titles()).toEqual(['<img src=x onerror="hurt()">训练']);
    expect(legend('<img src=x onerror="hurt()">训练').map(([label]) => label)).toEqual(['<b>r</b>', 'worker-0']);
    expect(document.querySelector('img, b')).toBeNull();
  });

  it('that did not change are not drawn again', async () => {
    await open(given('loss', [1, 1]), given('acc', [1, 1]));
    const before = stage.chart('acc').draws;
    await stage.push(given('loss', [1, 2]));
    expect([stage.chart('acc').draws - before, stage.chart('loss').draws]).toEqual([0, 2]);
  });

  it('stay themselves, and keep the focus, when another metric comes', async () => {
    await open(given('b', [1, 1]));
    const kept = stage.chart('b').canvas?.parentElement;
    kept?.focus();
    await stage.push(given('a', [1, 1]));
    expect([titles(), document.activeElement === kept]).toEqual([['a', 'b'], true]);
  });

  it('are not drawn while the tab is hidden', async () => {
    const shown = await open(given('loss', [1, 1]));
    shown.show(false);
    await stage.push(given('loss', [1, 2]));
    expect(stage.charts.map(chart => chart.draws)).toEqual([1]);
  });

  it('take another theme with another theme', async () => {
    await open(given('loss', [1, 1]));
    document.querySelector<HTMLElement>('.pj-JobView-cards')?.style.setProperty('--pj-text', 'rgb(1, 2, 3)');
    document.body.dataset['jpThemeLight'] = 'false';
    await settled();
    expect(stage.chart('loss').frame?.theme.text).toBe('rgb(1, 2, 3)');
  });

  it('say to a screen reader what they show', async () => {
    await open(given('loss', [3, 1, 2]));
    const canvas = stage.chart('loss').canvas;
    expect(canvas?.getAttribute('role')).toBe('img');
    expect(canvas?.getAttribute('aria-label')).toBe('loss: last 2, min 1, max 3');
  });

  it('that cannot be loaded leave a sentence and the table', async () => {
    let tries = 0;
    stage.held = [given('loss', [1, 1])];
    const pane = kept(
      metricsPane(stage.context, async () => {
        throw new Error(`404, the ${(tries += 1)}. time`);
      })
    );
    document.body.append(pane.element);
    pane.show(true);
    await settled();
    expect([find('[role=status]').textContent, tries]).toEqual([expect.stringContaining('Reload'), 1]);
    await press('Try again');
    expect(tries).toBe(2);
    await press('Table');
    expect(cells(document.querySelector('table'))).toHaveLength(1);
  });
});

describe('disposing', () => {
  it('leaves no chart, no element and no listener', async () => {
    const shown = await open(given('loss', [1, 1]));
    shown.dispose();
    document.body.dataset['jpThemeLight'] = 'true';
    await stage.push(given('loss', [1, 2]));
    expect(stage.charts.map(({ isDisposed, draws }) => [isDisposed, draws])).toEqual([[true, 1]]);
    expect(document.querySelector('.pj-JobView-charts')).toBeNull();
  });

  it('ends what was about to be drawn or answered', async () => {
    stage.held = [given('loss', [1, 1])];
    const pane = kept(
      metricsPane(stage.context, async () => {
        throw new Error('too late');
      })
    );
    pane.show(true);
    const { element } = pane;
    pane.dispose();
    await settled();
    expect(element.textContent).not.toContain('Reload');
  });
});

it('speaks 中文', async () => {
  begin('zh');
  await open(given('loss', [3, 1]));
  expect(find('.pj-JobView-tools').textContent).toContain('平滑');
  expect(legend('loss')[0]?.[2]).toBe('最小 1，最大 3');
});
