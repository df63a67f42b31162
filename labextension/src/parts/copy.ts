/**
 * Text onto the clipboard. Browsers give the clipboard only to secure pages, and a Jupyter server at `http://host:8888`
 * is none: there the old command is tried, and where that fails too, the text lies selected for Ctrl+C.
 */

import type { Context } from '../tokens.js';
import { element, setText } from './dom.js';

/** Copy `text`, or tell the user how to; `said` shows how it went, and is where the text may be laid out. */
export async function copyText(
  text: string,
  { say, announce }: Pick<Context, 'say' | 'announce'>,
  said: HTMLElement
): Promise<void> {
  const isDone = (await viaClipboard(text)) || viaSelection(text, said, say('Text to copy'));
  const message = isDone ? say('Copied') : say('Press Ctrl+C to copy');
  setText(said, message);
  announce(message);
}

async function viaClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // not a secure page (there is no `clipboard`), or not allowed
  }
}

/** Lay the text out, selected, and try the old command; what it could not copy stays until the user moves on. */
function viaSelection(text: string, place: HTMLElement, label: string): boolean {
  const before = document.activeElement;
  const area = element('textarea', { class: 'pj-JobView-copyArea', readonly: true, 'aria-label': label });
  area.value = text;
  place.after(area);
  area.focus();
  area.select();
  if (typeof document.execCommand === 'function' && document.execCommand('copy')) {
    area.remove();
    if (before instanceof HTMLElement) {
      before.focus();
    }
    return true;
  }
  area.addEventListener('blur', () => area.remove(), { once: true });
  return false;
}
