/**
 * What the side panel says, and whatever else in JupyterLab is about more than one job. Its Chinese is kept apart from
 * that of the job view, which notebooks elsewhere load too.
 */

import { type Language, translator } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { zhCompare } from '../zh/compare.js';
import { zhPanel } from '../zh/panel.js';
import { zhStorage } from '../zh/storage.js';
import { zhTable } from '../zh/table.js';

const ZH: ReadonlyMap<string, string> = new Map(Object.entries({ ...zhCompare, ...zhStorage, ...zhPanel, ...zhTable }));

export function panelSay(language: Language): Say {
  return translator(language, ZH);
}
