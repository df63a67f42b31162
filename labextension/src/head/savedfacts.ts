/**
 * What a saved notebook tells of a job besides its state: values and last metrics. It is all that there is to see where
 * the job itself cannot be asked. The JSON may have been tampered with: whatever is not text or a number is left out.
 */

import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { SavedJob, Say } from '../tokens.js';

const MAX_PAIRS = 50;

export function savedFacts(saved: SavedJob | null, say: Say): HTMLElement {
  const list = element(
    'dl',
    { class: 'pj-JobView-saved' },
    ...row(say('Hyperparameters'), saved?.values),
    ...row(say('Latest metrics'), saved?.metrics)
  );
  list.hidden = !list.hasChildNodes();
  return list;
}

function row(label: string, pairs: unknown): HTMLElement[] {
  const known = typeof pairs === 'object' && pairs !== null ? Object.entries(pairs).slice(0, MAX_PAIRS) : [];
  const texts = known.flatMap(([name, value]) => (plain(value, 60) ? [`${plain(name, 100)}=${plain(value, 60)}`] : []));
  return texts.length ? [element('dt', {}, label), element('dd', {}, texts.join(', '))] : [];
}
