/**
 * The arithmetic of a list that is longer than a browser lets an element be. No DOM.
 *
 * A list is scrolled to a *position*: the row at its top, with the part of that row that is out of view as a fraction.
 * The scrolled element is as high as the rows would be, but at most `MAX_RANGE`: Chromium stops at about 33 million
 * pixels, Firefox at 17 million, and ten million lines would need 180 million. Beyond it a pixel of the scroll bar is
 * many rows, so only what drags the bar goes through this scale; wheel and keys move the position itself by pixels.
 *
 * Rule: both ends are exact: the bar's top is row 0, its bottom has the last row at the bottom of the view.
 */

export const MAX_RANGE = 8_000_000; // pixels

export interface ScrollScale {
  readonly count: number; // rows
  readonly height: number; // of a row, in pixels
  readonly viewport: number; // pixels
}

/** The height of the scrolled element. */
export function rangeOf({ count, height }: ScrollScale): number {
  return Math.min(count * height, MAX_RANGE);
}

/** Is a pixel of the scroll bar a pixel of the list? */
export function isExact({ count, height }: ScrollScale): boolean {
  return count * height <= MAX_RANGE;
}

/** The position of a list that is scrolled to its end. */
export function lastPosition({ count, height, viewport }: ScrollScale): number {
  return Math.max(0, count - viewport / height);
}

export function positionAt(scale: ScrollScale, scrollTop: number): number {
  const room = rangeOf(scale) - scale.viewport;
  return room > 0 ? Math.min(1, Math.max(0, scrollTop / room)) * lastPosition(scale) : 0;
}

export function scrollTopOf(scale: ScrollScale, position: number): number {
  const last = lastPosition(scale);
  const room = Math.max(0, rangeOf(scale) - scale.viewport);
  return last > 0 ? Math.min(1, Math.max(0, position / last)) * room : 0;
}

/** What stays in place while the rest changes: the top of the view is `shift` pixels below the top of `row`. */
export interface Anchor {
  readonly row: number;
  readonly shift: number;
}

/** Rows that must be drawn, [first, last), so that the anchor can be placed whatever their heights are. */
export function rowsFor(scale: ScrollScale, anchor: Anchor): { first: number; last: number } {
  // No row is lower than `height`, so these are enough.
  const above = Math.max(0, Math.ceil(-anchor.shift / scale.height));
  const below = Math.ceil((scale.viewport + Math.max(0, anchor.shift)) / scale.height) + 1;
  const filled = Math.ceil(scale.viewport / scale.height) + 1;
  const first = Math.max(0, Math.min(anchor.row - above, scale.count - filled));
  return { first, last: Math.min(scale.count, Math.max(anchor.row + below, first + filled)) };
}

export interface Placed {
  readonly anchor: Anchor; // the row that is at the top now
  readonly offset: number; // of the first drawn row from the top of the view, in pixels; negative above it
  readonly isAtEnd: boolean;
}

/** Place drawn rows, from `first` on, with these heights: the anchor where it belongs, no room beyond either end. */
export function placeRows(scale: ScrollScale, first: number, heights: readonly number[], anchor: Anchor): Placed {
  const total = sum(heights);
  let offset = -anchor.shift - sum(heights.slice(0, Math.max(0, anchor.row - first)));
  const hasEnd = first + heights.length >= scale.count;
  if (hasEnd && offset + total < scale.viewport) {
    offset = scale.viewport - total;
  }
  if (first === 0 && offset > 0) {
    offset = 0;
  }
  return { anchor: topOf(first, heights, offset), offset, isAtEnd: hasEnd && offset + total <= scale.viewport + 1 };
}

function topOf(first: number, heights: readonly number[], offset: number): Anchor {
  let shift = 0 - offset;
  let index = 0;
  while (index < heights.length - 1 && shift >= (heights[index] ?? 0)) {
    shift -= heights[index] ?? 0;
    index += 1;
  }
  return { row: first + index, shift };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
