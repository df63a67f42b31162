/**
 * What keys and wheel mean to a list, in pixels; and what browsers tell of an element's size and of whether it is seen.
 */

import { Disposables } from '../parts/dom.js';

export interface Measure {
  readonly height: number; // of a row, in pixels
  readonly viewport: number; // pixels
}

/** How far a key moves the list; null for keys that are not the list's. */
export function keyPixels(event: KeyboardEvent, { height, viewport }: Measure): number | null {
  if (event.shiftKey || event.altKey || event.metaKey) {
    return null;
  }
  const page = Math.max(height, viewport - height);
  const moves: Readonly<Record<string, number>> = {
    ArrowUp: -height,
    ArrowDown: height,
    PageUp: -page,
    PageDown: page,
    Home: -Infinity,
    End: Infinity
  };
  return moves[event.key] ?? null;
}

/** How far the wheel moves the list; null where it zooms, or goes sideways. */
export function wheelPixels(event: WheelEvent, { height, viewport }: Measure): number | null {
  if (event.ctrlKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    return null;
  }
  return event.deltaY * ([1, height, viewport][event.deltaMode] ?? 1);
}

/** Hear of changes of size, and of whether any of `element` is on screen, where the browser can tell. */
export function observe(element: HTMLElement, resized: () => void, seen: (isSeen: boolean) => void): Disposables {
  const lasting = new Disposables();
  if (typeof ResizeObserver !== 'undefined') {
    const observer = new ResizeObserver(resized);
    observer.observe(element);
    lasting.add(() => observer.disconnect());
  }
  if (typeof IntersectionObserver !== 'undefined') {
    const observer = new IntersectionObserver(entries => seen(entries.at(-1)?.isIntersecting ?? true));
    observer.observe(element);
    lasting.add(() => observer.disconnect());
  }
  return lasting;
}
