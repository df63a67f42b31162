/**
 * What the view says, in the user's language. English is the key; a text without a translation is said in English.
 */

import type { Say } from '../tokens.js';
import { zhCharts } from '../zh/charts.js';
import { zhHost } from '../zh/host.js';
import { zhLogs } from '../zh/logs.js';
import { zhView } from '../zh/view.js';

export type Language = 'en' | 'zh';

const ZH: ReadonlyMap<string, string> = new Map(Object.entries({ ...zhView, ...zhLogs, ...zhCharts, ...zhHost }));

/** The language for a tag like "zh-CN" or "zh_CN"; English for all that we do not speak. */
export function languageOf(tag: string | undefined): Language {
  return tag?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** What says texts in `language`; `own` has the Chinese of whoever has more to say than the view of a job. */
export function translator(language: Language, own: ReadonlyMap<string, string> = ZH): Say {
  return (text, values = {}) => {
    const said = language === 'zh' ? (own.get(text) ?? ZH.get(text) ?? text) : text;
    return said.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  };
}
