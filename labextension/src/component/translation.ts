/** What is said of components, beside what the panel and the form of a cell say. Loaded with the section. */

import { type Language, translator } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { zhCompare } from '../zh/compare.js';
import { zhComponent } from '../zh/component.js';
import { zhPanel } from '../zh/panel.js';
import { zhRun } from '../zh/run.js';
import { zhStorage } from '../zh/storage.js';

const ZH: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...zhCompare, ...zhStorage, ...zhPanel, ...zhRun, ...zhComponent })
);

export function componentSay(language: Language): Say {
  return translator(language, ZH);
}
