/**
 * What the server says of a failure and of an environment, in 中文: it sends English, and here each has its twin.
 *
 * A sentence is a template: `{a}` stands for whatever is filled in on one line, itself said in 中文 where it is
 * known. The twin of `pai_jupyter/view/chinese`, whose sentences a test holds to be the same.
 * Rule: a sentence that is not known stays as it is.
 */

import type { Say } from '../tokens.js';
import { zhHints } from '../zh/hints.js';

const PLACE = /\{(\w+)\}/g;
const DEEPEST = 2; // a sentence in a sentence
const LONGEST = 4_000; // characters; longer texts are no sentences

let templates: { readonly pattern: RegExp; readonly chinese: string }[] | null = null;

/** The sentence in the language of `say`. */
export function served(text: string, say: Say): string {
  return say('Hint') === 'Hint' ? text : inChinese(text, 0);
}

function inChinese(text: string, depth: number): string {
  const whole = Object.hasOwn(zhHints, text) ? zhHints[text] : undefined;
  if (whole !== undefined && !text.includes('{')) {
    return whole;
  }
  if (text.length > LONGEST || depth > DEEPEST) {
    return text;
  }
  templates ??= readTemplates();
  for (const { pattern, chinese } of templates) {
    const held = pattern.exec(text)?.groups;
    if (held) {
      return chinese.replace(PLACE, (_, name: string) => inChinese(held[name] ?? '', depth + 1));
    }
  }
  return text;
}

/** Those with the most words of their own first. */
function readTemplates(): { pattern: RegExp; chinese: string }[] {
  const own = (english: string): number => english.replace(PLACE, '').length;
  return Object.entries(zhHints)
    .filter(([english]) => english.search(PLACE) >= 0)
    .sort(([one], [other]) => own(other) - own(one))
    .map(([english, chinese]) => {
      const parts = english.split(PLACE).map((part, at) => at % 2 ? `(?<${part}>.*?)` : escaped(part));
      return { pattern: new RegExp(`^${parts.join('')}$`), chinese };
    });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
