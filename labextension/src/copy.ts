/**
 * Text onto the clipboard. Browsers give the clipboard only to secure pages, and a Jupyter server at `http://host:8888`
 * is none: there the old command is tried, and where that fails too, the text lies selected for Ctrl+C.
 */

import { element } from './dom.js';
import type { Say } from './tokens.js';

/** Who says that it is copied, and where the text may be laid out. */
export interface CopyPlace {
  readonly place: HTMLElement;
  readonly say: Say;
  announce(text: string): void;
}

/** Copy `text`; resolves when that is done or the user has been told how to. */
export async function copyText(text: string, { place, say, announce }: CopyPlace): Promise<void> {
  if ((await viaClipboard(text)) || viaSelection(text, place, say)) {
    announce(say('Copied'));
  } else {
    announce(say('Press Ctrl+C to copy'));
  }
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
function viaSelection(text: string, place: HTMLElement, say: Say): boolean {
  const before = document.activeElement;
  const area = element('textarea', { class: 'pj-JobView-copyArea', readonly: true, 'aria-label': say('Text to copy') });
  area.value = text;
  place.append(area);
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
