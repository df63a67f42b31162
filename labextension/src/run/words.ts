/**
 * What is said of a step: its name, its condition with the values that decided (a label made in Python), its time.
 */

import { clock, duration } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { countsSentence, isOver, lookWord, reasonOf } from './status.js';
import type { RunCondition, RunStep } from './tokens.js';

const LONGEST = 200; // characters of a text in a node or a row

/** What a step is called where it stands among others: "train", "loop[2]". */
export function stepName({ path, name }: RunStep): string {
  return plain(path.slice(path.lastIndexOf('/') + 1), LONGEST) || plain(name, LONGEST);
}

/** What a step runs, or for an execution of a loop, of what; '' where the name says it. */
export function stepTitle({ path, name, title, item }: RunStep): string {
  const text = path.endsWith(']') && item !== undefined ? item : title;
  return text === name ? '' : plain(text, LONGEST);
}

/** A condition as a reader says it: "accuracy <= 0.9"; decided, "accuracy = 0.85 <= 0.9". */
export function conditionText({ label }: RunCondition): string {
  return plain(label, LONGEST);
}

/** Whether a condition is met, as a sign: '?' until it is decided. */
export function conditionSign({ is_met: isMet }: RunCondition): string {
  return isMet === undefined ? '?' : isMet ? '✓' : '✗';
}

/** The same in words, and why it cannot be decided. */
export function conditionWord({ is_met: isMet, reason }: RunCondition, say: Say): string {
  return plain(reason, LONGEST) || say(isMet === undefined ? 'not decided' : isMet ? 'met' : 'not met');
}

/** How long a step has run, or took; '' where it never began. */
export function stepTime({ started, ended, status }: RunStep, now: number): string {
  if (started === undefined) {
    return '';
  }
  return isOver(status) ? duration(Math.max(0, (ended ?? started) - started)) : clock(Math.max(0, now - started));
}

/** What else there is to say of how a step came about: its tries, and whether it ran at all. */
export function originText({ tried = 0, taken_from: from }: RunStep, say: Say): string {
  const parts = [tried > 1 ? say('{n} tries', { n: tried }) : '', from === undefined ? '' : say('taken over')];
  return parts.filter(Boolean).join(' · ');
}

/** All of a step in one sentence, for those who hear it. */
export function stepSentence(step: RunStep, say: Say): string {
  const { condition } = step;
  const decided = condition && { text: conditionText(condition), word: conditionWord(condition, say) };
  const parts = [
    stepName(step),
    stepTitle(step),
    kindWord(step, say),
    lookWord(step.status, say),
    countsSentence(step.counts, say),
    originText(step, say),
    decided ? say('condition {text}: {word}', decided) : '',
    reasonOf(step)
  ];
  return parts.filter(Boolean).join(', ');
}

/** What a step is, where it is no job. */
export function kindWord({ kind }: RunStep, say: Say): string {
  return kind === 'job' ? '' : say(kind === 'loop' ? 'loop' : 'pipeline');
}
