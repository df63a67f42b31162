// @vitest-environment jsdom
import { afterEach, describe, expect, it } from 'vitest';

import { ChartList } from '../../src/compare/chartlist.js';
import type { CustomChart } from '../../src/compare/customcharts.js';
import { panelSay } from '../../src/panel/translation.js';
import { find } from '../charts/stage.js';

const CHART: CustomChart = { title: 'Loss', x: 'tokens', y: ['loss'], smoothing: 0.5, log: true };
const kept: (readonly CustomChart[])[] = [];

function list(...charts: CustomChart[]): ChartList {
  const made = new ChartList(
    panelSay('en'),
    all => kept.push(all),
    () => undefined
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
  kept.length = 0;
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

  it('shows titles as text', () => {
    list({ ...CHART, title: '<img src=x>' });
    expect(document.querySelector('img')).toBeNull();
    expect(find('li').textContent).toContain('<img src=x>');
  });
});
