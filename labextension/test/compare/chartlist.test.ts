// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { ChartList } from '../../src/compare/chartlist.js';
import type { CustomChart } from '../../src/compare/customcharts.js';
import { panelSay } from '../../src/panel/translation.js';
import { find } from '../charts/stage.js';
import { turns } from '../turns.js';

const CHART: CustomChart = { title: 'Loss', x: 'tokens', y: ['loss'], smoothing: 0.5, log: true };
const kept: (readonly CustomChart[])[] = [];
const told: string[] = [];
let keep: (charts: readonly CustomChart[]) => Promise<void>;

beforeEach(() => {
  keep = async charts => void kept.push(charts);
});

function list(...charts: CustomChart[]): ChartList {
  const made = new ChartList(
    panelSay('en'),
    all => keep(all),
    text => told.push(text)
  );
  made.show(charts);
  document.body.append(made.element);
  return made;
}

function press(text: string): void {
  find<HTMLButtonElement>('button', text).click();
}

afterEach(() => {
  document.body.replaceChildren();
  kept.length = told.length = 0;
});

describe('the list of charts', () => {
  it('changes a chart, also one of metrics that nobody has now', () => {
    list(CHART).offer(['acc']);
    press('Edit');
    find<HTMLInputElement>('input[type=text]').value = 'Other';
    press('Save chart');
    expect(kept).toEqual([[{ ...CHART, title: 'Other' }]]);
  });

  it('saves no chart of nothing', () => {
    list().offer(['acc']);
    press('Save chart');
    expect(kept).toEqual([]);
    expect(find('p[role=status]').textContent).toBe('Choose at least one metric.');
  });

  it('takes JSON, each chart once, and says what is wrong with it', () => {
    list(CHART);
    const paste = find<HTMLTextAreaElement>('textarea');
    paste.value = 'Hello';
    press('Add from JSON');
    expect(find('[role=alert]').textContent).toContain('This is not JSON.');
    paste.value = JSON.stringify([CHART, { ...CHART, title: 'Two' }]);
    press('Add from JSON');
    expect(kept).toEqual([[CHART, { ...CHART, title: 'Two' }]]);
    expect(find<HTMLElement>('[role=alert]').hidden).toBe(true);
  });

  it('says how many charts of the JSON were new', async () => {
    list(CHART);
    const two = { ...CHART, title: 'Two' };
    find<HTMLTextAreaElement>('textarea').value = JSON.stringify([CHART, two, two]);
    press('Add from JSON');
    await turns();
    expect([kept, told]).toEqual([[[CHART, two]], ['1 chart added.']]);
    press('Add from JSON');
    await turns();
    expect(told.at(-1)).toBe('0 charts added.');
  });

  it('shows why charts are not kept, and calls none saved that is not', async () => {
    keep = () => Promise.reject(new Error('The settings are read-only.'));
    list(CHART);
    press('Edit');
    press('Save chart');
    await turns();
    const error = find<HTMLElement>('[role=alert]');
    expect([error.hidden, error.textContent, told]).toEqual([false, 'The settings are read-only.', []]);
    keep = async () => undefined;
    press('Edit');
    press('Save chart');
    await turns();
    expect([error.hidden, told]).toEqual([true, ['Chart Loss saved.']]);
  });

  it('says what of the settings it does not show', () => {
    const made = list(CHART);
    made.show([CHART], 'Chart 2: y is missing or wrong.');
    expect(find('.pj-JobView-chartList').textContent).toContain('Chart 2: y is missing or wrong.');
    made.show([CHART]);
    expect(find('.pj-JobView-chartList').textContent).not.toContain('Chart 2');
  });

  it('shows titles as text', () => {
    list({ ...CHART, title: '<img src=x>' });
    expect(document.querySelector('img')).toBeNull();
    expect(find('li').textContent).toContain('<img src=x>');
  });
});
