/**
 * Where a job runs, as people say it: "process (no image is given)" is a local process, for that reason. The text is
 * `pai_jupyter/jobs/place.py`'s, and stays as it is in records; one that is not of its kind is shown as it came.
 */

import type { Say } from '../tokens.js';
import { plain } from './plain.js';

const PLACE = /^([a-z][\w-]{0,40}) \((.*)\)$/s;
const AGAIN = /^as job (\S{1,100})$/;
const TITLES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  process: 'Local process', docker: 'Docker', pai: 'PAI', emulator: 'PAI emulator', openpai: 'OpenPAI'
});

export interface Where {
  readonly backend: string; // "Docker"
  readonly title: string; // the same, and of which job it is a rerun
  readonly reason: string; // why it runs there; '' where nothing says so
}

export function whereOf(place: unknown, say: Say): Where {
  const text = plain(place);
  const [, name, reason = ''] = PLACE.exec(text) ?? [];
  const known = TITLES[name ?? text];
  const backend = known === undefined ? text : say(known);
  const again = AGAIN.exec(reason)?.[1];
  if (known === undefined || !again) {
    return { backend, title: backend, reason: known === undefined ? '' : reason };
  }
  return { backend, title: `${backend} · ${say('rerun of {name}', { name: again })}`, reason: '' };
}
