/**
 * Where a job runs, as people say it: "process (no image is given)" is a local process, for that reason. The text is
 * `pai_jupyter/jobs/target.py`'s, and stays as it is in records; one that is not of its kind is shown as it came. The
 * titles of our backends are known here; one that others have made comes with its title.
 */

import type { Say } from '../tokens.js';
import { plain } from './sanitize.js';

const PLACE = /^([a-z][\w-]{0,40}) \((.*)\)( · [^()]{1,80})?$/s; // a saved notebook has the machines behind it
const AGAIN = /^as job (\S{1,100})$/;
const TITLES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  process: 'Local process',
  docker: 'Docker',
  pai: 'PAI',
  emulator: 'PAI emulator',
  openpai: 'OpenPAI',
  flow: 'PAIFlow',
  'flow-emulator': 'PAIFlow emulator'
});

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(\S+) is a type of PAI$/, '{what} is a type of PAI'],
  [/^set in (.+)$/s, 'set in {what}'],
  [/^submitted elsewhere, (.+)$/s, 'submitted elsewhere, {what}'],
  [/^step of (.+)$/s, 'step of {what}']
];

export interface RunLocation {
  readonly backend: string; // "Docker"
  readonly title: string; // the same, and of which job it is a rerun
  readonly reason: string; // why it runs there, in the reader's language; '' where nothing says so
  readonly machines: string; // of a saved notebook: "local ×1"
}

export function readRunLocation(place: unknown, say: Say, title?: unknown): RunLocation {
  const text = plain(place);
  const [, name, reason = '', behind = ''] = PLACE.exec(text) ?? [];
  const machines = behind.replace(/^ · /, '');
  const own = TITLES[name ?? text];
  const again = AGAIN.exec(reason)?.[1];
  const titled = name === undefined ? undefined : plain(title, 60) || (again && name); // perhaps no longer installed
  const known = own ?? (titled || undefined);
  const backend = own === undefined ? (known ?? text) : say(own);
  if (known === undefined) {
    return { backend, title: backend, reason: '', machines: '' };
  }
  if (!again) {
    return { backend, title: backend, reason: saidReason(reason, say), machines };
  }
  return { backend, title: `${backend} · ${say('rerun of {name}', { name: again })}`, reason: '', machines };
}

function saidReason(reason: string, say: Say): string {
  for (const [pattern, text] of REASONS) {
    const what = pattern.exec(reason)?.[1];
    if (what !== undefined) {
      return say(text, { what });
    }
  }
  return say(reason);
}
