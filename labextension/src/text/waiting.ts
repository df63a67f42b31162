/**
 * Why a local job is queued, read back out of its reason. The twin of `pai_jupyter/events/waiting.py`.
 */

import type { Say } from '../tokens.js';

const SENTENCE = /^waiting for a free slot(: number (\d{1,6}) in line \(([\w.]{1,40}) = (\d{1,6})\))?$/;

/** The reason in the language of the user, where it is one of the local queue; what others say stays as it is. */
export function waitingText(reason: string, say: Say): string {
  const found = SENTENCE.exec(reason);
  const [, inLine, place = '', setting = '', limit = ''] = found ?? [];
  const known = inLine ? 'waiting for a free slot: number {place} in line ({setting} = {limit})' : reason;
  return found ? say(known, { place, setting, limit }) : reason;
}
