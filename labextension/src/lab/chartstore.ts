/**
 * The user's own charts, in the settings: they are the same in every workspace, and a file that can be sent.
 *
 * Rule 1: what somebody broke there by hand stays as it is, and hides no other chart.
 * Rule 2: what cannot be kept is said: where there are no settings, or they cannot be written.
 */

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { PartialJSONValue } from '@lumino/coreutils';

import type { ChartStore } from '../compare/comparison.js';
import { type CustomChart, readKept } from '../compare/customcharts.js';
import { errorText } from '../parts/loading.js';
import type { Say } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import { translateSchema } from './settings.js';

/** The settings that have the charts; also a plugin's id. */
export const CHARTS = 'pai-jupyter:compare';

const KEY = 'charts';

export function chartStore(registry: ISettingRegistry | null, say: Say): ChartStore {
  if (registry === null) {
    const text = 'The charts are not saved: this application has no settings. Copy them as JSON to keep them.';
    return { follow: () => () => undefined, save: () => Promise.reject(new RequestError(say(text), 'SpecError')) };
  }
  registry.transform(CHARTS, { fetch: plugin => ({ ...plugin, schema: translateSchema(plugin.schema, say) }) });
  return new SettingsCharts(registry.load(CHARTS), say);
}

class SettingsCharts implements ChartStore {
  readonly #loaded: Promise<ISettingRegistry.ISettings>;
  readonly #say: Say;

  constructor(loaded: Promise<ISettingRegistry.ISettings>, say: Say) {
    this.#loaded = loaded;
    this.#say = say;
  }

  follow(changed: (charts: readonly CustomChart[], problem: string) => void): () => void {
    let end = (): void => undefined;
    let isWanted = true;
    const begin = (settings: ISettingRegistry.ISettings): void => {
      const tell = (): void => {
        const { charts, problem } = readKept(listed(settings) ?? [], this.#say);
        const text = 'Kept in the settings, but not shown here: {problem}';
        changed(charts, problem && this.#say(text, { problem }));
      };
      if (isWanted) {
        settings.changed.connect(tell);
        end = () => settings.changed.disconnect(tell);
        tell();
      }
    };
    this.#loaded.then(begin, () => undefined); // who saves a chart hears why
    return () => {
      isWanted = false;
      end();
    };
  }

  async save(charts: readonly CustomChart[]): Promise<void> {
    try {
      const settings = await this.#loaded;
      const items = listed(settings);
      if (items === null) {
        throw new RequestError(
          this.#say('The charts in the settings are not a list. Correct them there.'),
          'SpecError'
        );
      }
      const { others } = readKept(items, this.#say);
      await settings.set(KEY, [...charts, ...others] as unknown as PartialJSONValue);
    } catch (error) {
      const reason = errorText(error);
      const text = this.#say('The charts could not be saved in the settings: {reason}', { reason });
      throw error instanceof RequestError ? error : new RequestError(text, 'InternalError');
    }
  }
}

/** What the settings have; null where that is no list. */
function listed({ composite }: ISettingRegistry.ISettings): readonly unknown[] | null {
  const value: unknown = composite[KEY] ?? [];
  return Array.isArray(value) ? value : null;
}
