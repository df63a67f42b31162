/** Jobs that are deleted while a tab shows them: their sources are asked again, and then say that there is none. */

import type { JobList } from '../panel/list.js';
import type { JobSource } from '../tokens.js';

/** Look at the list whenever it changes, until the returned function is called. */
export function watchGone(
  list: Pick<JobList, 'rows' | 'isWhole' | 'listen'>,
  sources: readonly Pick<JobSource, 'job' | 'request'>[]
): () => void {
  const seen = new Set<string>();
  return list.listen(() => {
    for (const source of sources) {
      if (list.rows.has(source.job)) {
        seen.add(source.job);
      } else if (list.isWhole && seen.delete(source.job)) {
        source.request('hello', {}).catch(() => undefined); // its status tells
      }
    }
  });
}
