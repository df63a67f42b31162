/**
 * The settings of the panel, and their words in the settings editor. JupyterLab translates settings by language packs
 * of its own only, so ours are said in the user's language while they are on their way to the editor.
 */

import type { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { Say } from '../tokens.js';

const PLUGIN = 'pai-jupyter:panel';
const SAID: ReadonlySet<string> = new Set(['title', 'description', 'jupyter.lab.setting-icon-label']);

export interface PanelSettings {
  readonly notifyEnd: boolean;
  readonly notifyShort: boolean; // of jobs that took less than `notify.after`, too
  readonly notifyAlerts: boolean; // a metric that became NaN or infinite, no progress
  readonly notifyDesktop: boolean; // by the browser too, while nobody looks at the page
  readonly showCounts: boolean;
  readonly metric: string; // that stands for a job in the list; '' is the best known
}

export const DEFAULTS: PanelSettings = {
  notifyEnd: true,
  notifyShort: false,
  notifyAlerts: true,
  notifyDesktop: false,
  showCounts: true,
  metric: ''
};

/** Hear of the settings as they are and as they become; without them, the defaults hold. */
export async function followSettings(
  registry: ISettingRegistry,
  say: Say,
  changed: (settings: PanelSettings) => void
): Promise<void> {
  registry.transform(PLUGIN, { fetch: plugin => ({ ...plugin, schema: translateSchema(plugin.schema, say) }) });
  const settings = await registry.load(PLUGIN);
  const tell = (): void => changed({ ...DEFAULTS, ...(settings.composite as Partial<PanelSettings>) }); // by the schema
  settings.changed.connect(tell);
  tell();
}

/** The schema with its titles and descriptions in the user's language. */
export function translateSchema<T>(schema: T, say: Say): T {
  if (Array.isArray(schema)) {
    return schema.map(part => translateSchema(part as unknown, say)) as T;
  }
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  const said = Object.entries(schema).map(([name, part]: [string, unknown]) => {
    return [name, SAID.has(name) && typeof part === 'string' ? say(part) : translateSchema(part, say)];
  });
  return Object.fromEntries(said) as T;
}
