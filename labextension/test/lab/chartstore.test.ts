/** The user's own charts in the settings of JupyterLab. */

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';
import { expect, test } from 'vitest';

import type { CustomChart } from '../../src/compare/customcharts.js';
import { chartStore } from '../../src/lab/chartstore.js';
import { panelSay } from '../../src/panel/translation.js';
import { turns } from '../turns.js';

const say = panelSay('en');
const chart = (title: string): CustomChart => ({ title, x: 'step', y: ['loss'], smoothing: 0, log: false });
const BROKEN = { title: 'Mine', y: 'loss', extra: 1 };

/** Settings with these charts in them; `refusal`: why nothing is written there. */
class Settings {
  readonly owner = {};
  readonly changed = new Signal<object, void>(this.owner);
  refusal = '';

  constructor(public charts: unknown) {}

  get composite(): object {
    return { charts: this.charts };
  }

  async set(_: string, charts: unknown): Promise<void> {
    if (this.refusal) {
      throw new Error(this.refusal);
    }
    this.charts = charts;
    this.changed.emit();
  }

  registry(load: () => Promise<unknown> = async () => this): ISettingRegistry {
    return { transform: () => undefined, load } as unknown as ISettingRegistry;
  }
}

async function open(settings: Settings) {
  const heard: [readonly string[], string][] = [];
  const store = chartStore(settings.registry(), say);
  store.follow((charts, problem = '') => heard.push([charts.map(({ title }) => title), problem]));
  await turns();
  return { store, heard };
}

test('a broken chart hides no other, and stays in the settings as it is when others are saved', async () => {
  const settings = new Settings([chart('One'), BROKEN, chart('Two')]);
  const { store, heard } = await open(settings);
  expect(heard).toEqual([
    [['One', 'Two'], 'Kept in the settings, but not shown here: Chart 2: y is missing or wrong.']
  ]);
  await store.save([chart('One'), chart('Three')]);
  expect(settings.charts).toEqual([chart('One'), chart('Three'), BROKEN]);
  expect(heard.at(-1)?.[0]).toEqual(['One', 'Three']);
});

test('more charts than are shown are no reason to forget any', async () => {
  const all = Array.from({ length: 52 }, (_, at) => chart(`${at}`));
  const settings = new Settings(all);
  const { store, heard } = await open(settings);
  expect(heard[0]?.[0]).toHaveLength(50);
  expect(heard[0]?.[1]).toContain('There are more than 50 charts.');
  await store.save(all.slice(1, 50));
  expect(settings.charts).toEqual(all.slice(1));
});

test('what is no list of charts is not written over', async () => {
  const settings = new Settings('mine');
  const { store } = await open(settings);
  await expect(store.save([chart('One')])).rejects.toThrow('The charts in the settings are not a list.');
  expect(settings.charts).toBe('mine');
});

test('settings that cannot be written or read are named in our words', async () => {
  const settings = new Settings([]);
  settings.refusal = '403 Forbidden';
  const { store } = await open(settings);
  await expect(store.save([])).rejects.toThrow('The charts could not be saved in the settings: 403 Forbidden');
  const none = chartStore(
    settings.registry(() => Promise.reject(new Error('no such plugin'))),
    say
  );
  none.follow(() => undefined);
  await expect(none.save([])).rejects.toThrow('The charts could not be saved in the settings: no such plugin');
});

test('without settings it is said that nothing is kept', async () => {
  await expect(chartStore(null, say).save([])).rejects.toThrow(
    'The charts are not saved: this application has no settings. Copy them as JSON to keep them.'
  );
});
