/** Where the columns of the table stand, and which of them are in sight. No DOM. */

import type { TableColumn } from './protocol.js';
import { shownKeys, type TableState } from './state.js';

/** A column at its place. `cell`: its place in the cells of a line; -1: it is made of something else. */
export interface PlacedColumn {
  readonly column: Pick<TableColumn, 'key' | 'title' | 'kind' | 'part'>;
  readonly cell: number;
  readonly left: number;
  readonly width: number;
  readonly isPinned: boolean;
}

export const ROW_HEIGHT = 28; // pixels, as the styles have it
export const USUAL_VIEWPORT = 600; // pixels, where none is known yet
export const GROUP = ''; // the key of the column that has the groups
const GROUP_WIDTH = 220;
const WIDTHS: Readonly<Record<string, number>> = { 'job:name': 200, 'job:status': 110, 'job:id': 130 };
const [NARROW_LETTER, WIDE_LETTER] = [8, 14]; // pixels, bold, about
const AROUND_TITLE = 58; // its margins, the arrow, and the button of its menu
const MOST_FOR_TITLE = 240;
const KIND_WIDTHS: Readonly<Record<TableColumn['kind'], number>> = {
  text: 130,
  number: 100,
  bool: 80,
  time: 140,
  seconds: 125
};

/**
 * All columns that are shown; those of a group come first. `asked`: the keys whose cells the lines have; `titleOf`:
 * what a column is called, for which it is as wide as it needs, within bounds.
 */
export function layOut(
  state: TableState,
  all: readonly TableColumn[],
  asked: readonly string[],
  titleOf: (column: Pick<TableColumn, 'title' | 'part'>) => string = ({ title }) => title
): readonly PlacedColumn[] {
  const known = new Map(all.map(column => [column.key, column]));
  const by = known.get(state.group);
  const shown = shownKeys(state, all).flatMap(key => (by && key === by.key ? [] : (known.get(key) ?? [])));
  const placed: PlacedColumn[] = [];
  let left = 0;
  const add = (column: PlacedColumn['column'], width: number, isPinned: boolean): void => {
    placed.push({ column, cell: asked.indexOf(column.key), left, width, isPinned });
    left += width;
  };
  if (by) {
    add({ ...by, key: GROUP }, state.widths[GROUP] ?? GROUP_WIDTH, true);
  }
  for (const column of shown) {
    const { key, kind } = column;
    const usual = WIDTHS[key] ?? (by && kind === 'number' ? 150 : KIND_WIDTHS[kind]);
    add(column, state.widths[key] ?? Math.max(usual, titleWidth(titleOf(column))), state.pinned.includes(key));
  }
  return placed;
}

function titleWidth(title: string): number {
  const letters = [...title.slice(0, MOST_FOR_TITLE)];
  const wide = letters.filter(letter => letter > '\u2e7f').length; // Chinese and its neighbours
  const width = AROUND_TITLE + NARROW_LETTER * (letters.length - wide) + WIDE_LETTER * wide;
  return Math.min(MOST_FOR_TITLE, width);
}

export function totalWidth(columns: readonly PlacedColumn[]): number {
  const last = columns.at(-1);
  return last ? last.left + last.width : 0;
}

/** The places of the columns that are drawn: all that are pinned, and those of the others that are in sight. */
export function inSight(columns: readonly PlacedColumn[], scrolled: number, viewport: number): readonly number[] {
  const pinned = columns.reduce((width, column) => width + (column.isPinned ? column.width : 0), 0);
  const [from, to] = [scrolled + pinned - MARGIN, scrolled + viewport + MARGIN];
  return columns.flatMap(({ left, width, isPinned }, at) =>
    isPinned || (left + width > from && left < to) ? [at] : []
  );
}

const MARGIN = 200; // pixels
