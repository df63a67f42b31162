/**
 * How the status of a run and of a step looks: glyph and word. Glyphs differ in shape, so that colour is never all.
 */

import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import type { RunHead, RunStep, StepCounts } from './tokens.js';

/** In the order in which counts are told. */
const LOOKS = {
  succeeded: ['✓', 'Succeeded'],
  running: ['●', 'Running'],
  blocked: ['!', 'Blocked'],
  waiting: ['○', 'Waiting'],
  skipped: ['⊘', 'Skipped'],
  failed: ['✗', 'Failed'],
  stopped: ['■', 'Stopped'],
  unknown: ['?', 'Unknown']
} as const;

export type RunLook = keyof typeof LOOKS;

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'stopped', 'skipped']);
const NAMES = Object.keys(LOOKS) as RunLook[]; // of a record that has exactly these

/** The status of this word; one that is not ours is as good as unknown. */
export function readLook(word: unknown): RunLook {
  return typeof word === 'string' && Object.hasOwn(LOOKS, word) ? (word as RunLook) : 'unknown';
}

export function lookGlyph(status: unknown): string {
  return LOOKS[readLook(status)][0];
}

export function lookWord(status: unknown, say: Say): string {
  return say(LOOKS[readLook(status)][1]);
}

/** Whether a run or a step has ended. */
export function isOver(status: string): boolean {
  return ENDED.has(status);
}

/** E.g. "3 of 7 ✓ · 1 ●"; '' where nothing is counted. */
export function countsText(counts: StepCounts | undefined): string {
  const all = NAMES.map(name => [name, countOf(counts, name)] as const);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const others = all.filter(([name, count]) => count && name !== 'succeeded' && name !== 'waiting');
  const parts = [`${countOf(counts, 'succeeded')}/${total} ✓`, ...others.map(([name, n]) => `${n} ${LOOKS[name][0]}`)];
  return total ? parts.join(' · ') : '';
}

/** The same in words: "3 of 7 succeeded, 1 running". */
export function countsSentence(counts: StepCounts | undefined, say: Say): string {
  const all = NAMES.map(name => [name, countOf(counts, name)] as const);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const others = all.filter(([name, count]) => count && name !== 'succeeded');
  const first = say('{n} of {total} succeeded', { n: countOf(counts, 'succeeded'), total });
  const said = others.map(([name, n]) => say('{n} {state}', { n, state: lookWord(name, say).toLowerCase() }));
  return total ? said.reduce((one, other) => say('{one}, {other}', { one, other }), first) : '';
}

/** What a run says of itself beside its status: why it failed, or what it waits for. */
export function reasonOf({ reason }: Pick<RunHead, 'reason'> | Pick<RunStep, 'reason'>): string {
  return plain(reason, 1_000);
}

function countOf(counts: StepCounts | undefined, name: string): number {
  const count = counts && Object.hasOwn(counts, name) ? counts[name] : 0;
  return typeof count === 'number' && count > 0 ? count : 0;
}
