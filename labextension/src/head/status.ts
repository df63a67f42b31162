/**
 * How a status looks: glyph, word and colour class. Glyphs differ in shape, so that colour is never all there is.
 */

import type { Say, Status } from '../tokens.js';

const LOOKS: Readonly<Record<Status, readonly [glyph: string, word: string]>> = {
  created: ['○', 'Created'],
  packaging: ['○', 'Packaging'],
  submitting: ['○', 'Submitting'],
  queued: ['◔', 'Queued'],
  running: ['●', 'Running'],
  succeeded: ['✓', 'Succeeded'],
  failed: ['✗', 'Failed'],
  stopped: ['■', 'Stopped'],
  unknown: ['?', 'Unknown']
};

/** The status of this word; one that is not ours, of a newer version or a tampered notebook, is as good as unknown. */
export function readStatus(word: unknown): Status {
  return typeof word === 'string' && Object.hasOwn(LOOKS, word) ? (word as Status) : 'unknown';
}

export function glyph(status: Status): string {
  return LOOKS[status][0];
}

export function statusWord(status: Status, say: Say): string {
  return say(LOOKS[status][1]);
}
