/** What is said of stacks and recordings, beside what the view of a job says. Loaded with the first of them. */

import { type Language, translator } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { zhStacks } from '../zh/stacks.js';

const ZH: ReadonlyMap<string, string> = new Map(Object.entries(zhStacks));

export function stacksSay(language: Language): Say {
  return translator(language, ZH);
}
