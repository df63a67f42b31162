/** What is said of clusters and their job files, beside what the panel says. Loaded with the first of them. */

import { type Language, translator } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { zhCluster } from '../zh/cluster.js';
import { zhPanel } from '../zh/panel.js';
import { zhStorage } from '../zh/storage.js';

const ZH: ReadonlyMap<string, string> = new Map(Object.entries({ ...zhStorage, ...zhPanel, ...zhCluster }));

export function clusterSay(language: Language): Say {
  return translator(language, ZH);
}
