/**
 * Lines of a difference: "−" is only in the older text, "+" only in the newer one. The signs, and the elements that
 * screen readers know, say it; the colours say it again.
 */

import { block, plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { element } from './dom.js';

/** `skipped` lines say how many they are; `head` lines tell of a file, or where in it one is. */
export interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'new' | 'skipped' | 'head';
  readonly text: string;
}

const SIGNS: Readonly<Record<DifferenceLine['kind'], string>> = {
  same: '  ',
  gone: '− ',
  new: '+ ',
  skipped: '⋯ ',
  head: ''
};
const ELEMENTS = { same: 'div', gone: 'del', new: 'ins', skipped: 'div', head: 'div' } as const;

/** The lines in a block that scrolls. */
export function differenceBlock(lines: readonly DifferenceLine[], label: string, say: Say): HTMLElement {
  const code = element('pre', { class: 'pj-JobView-code', tabindex: 0, role: 'group', 'aria-label': label });
  code.append(...lines.map(line => drawn(line, say)));
  return code;
}

/** The lines of what `git diff` printed. */
export function gitLines(text: string): DifferenceLine[] {
  let isInHunk = false;
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map(line => {
      isInHunk = line.startsWith('@@') || (isInHunk && !line.startsWith('diff '));
      const kind =
        !isInHunk || /^[@\\]/.test(line) ? 'head' : line[0] === '+' ? 'new' : line[0] === '-' ? 'gone' : 'same';
      return { kind, text: kind === 'head' ? line : line.slice(1) };
    });
}

function drawn({ kind, text }: DifferenceLine, say: Say): HTMLElement {
  const known = Object.hasOwn(SIGNS, kind) ? kind : 'same';
  const shown = known === 'skipped' ? say('{count} lines', { count: plain(text, 20) }) : block(text, 1_000);
  return element(ELEMENTS[known], { 'data-kind': known }, `${SIGNS[known]}${shown}\n`);
}
