/** What is said of runs, beside what the panel and the view of a job say. Loaded with the view of a run. */

import { type Language, translator } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { zhCompare } from '../zh/compare.js';
import { zhPanel } from '../zh/panel.js';
import { zhRun } from '../zh/run.js';
import { zhStorage } from '../zh/storage.js';

const ZH: ReadonlyMap<string, string> = new Map(Object.entries({ ...zhCompare, ...zhStorage, ...zhPanel, ...zhRun }));

export function runSay(language: Language): Say {
  return translator(language, ZH);
}
