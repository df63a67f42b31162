/**
 * How a runs table is set up: what is kept with JupyterLab's layout, and offered again to the next table. No DOM.
 *
 * Rule 1: it is never changed; whatever is set makes another one.
 * Rule 2: columns are known by their keys. One that no job has now keeps its place: it may come back.
 */

import type { TableColumn } from './protocol.js';

export interface TableState {
  readonly text: string; // the filter
  readonly sort: string; // the key of a column
  readonly isDescending: boolean;
  readonly group: string; // the key of a column; '' where nothing is grouped
  readonly columns: readonly string[] | null; // keys in order; null: what is shown unless columns are chosen
  readonly pinned: readonly string[];
  readonly widths: Readonly<Record<string, number>>; // in pixels
}

export const NEWEST = 'job:created';
export const NEW_STATE: TableState = {
  text: '',
  sort: NEWEST,
  isDescending: true,
  group: '',
  columns: null,
  pinned: ['job:name'],
  widths: {}
};
const FIRST: ReadonlySet<string> = new Set(['job:status', 'job:name']);
export const LEAST_WIDTH = 48;
export const MOST_WIDTH = 800;
const MOST_KEYS = 2_000;
export const LONGEST_FILTER = 10_000; // letters
const LONGEST = 1_000; // letters of a key

/** The state that a layout has kept; what is damaged in it is as in a new one. */
export function readState(value: unknown): TableState {
  const given = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const { text, sort, isDescending, group, columns, pinned, widths } = given;
  const known = typeof widths === 'object' && widths !== null ? Object.entries(widths) : [];
  return {
    text: isText(text, LONGEST_FILTER) ? text : NEW_STATE.text,
    sort: isKey(sort) && sort ? sort : NEW_STATE.sort,
    isDescending: typeof isDescending === 'boolean' ? isDescending : NEW_STATE.isDescending,
    group: isKey(group) ? group : NEW_STATE.group,
    columns: Array.isArray(columns) ? keysIn(columns) : null,
    pinned: Array.isArray(pinned) ? keysIn(pinned) : NEW_STATE.pinned,
    widths: Object.fromEntries(
      known.slice(0, MOST_KEYS).flatMap(([key, width]) => (typeof width === 'number' ? [[key, bounded(width)]] : []))
    )
  };
}

/** The keys of the columns that are shown, in order, those that are pinned first. */
export function shownKeys({ columns, pinned }: TableState, all: readonly TableColumn[]): string[] {
  const keys = columns ?? usualKeys(all);
  return [...pinned.filter(key => keys.includes(key)), ...keys.filter(key => !pinned.includes(key))];
}

/** Unless columns are chosen: state and name, values and metrics, what else every job has; as in `%pai_runs`. */
function usualKeys(all: readonly TableColumn[]): string[] {
  const shown = all.filter(column => column.is_shown);
  const isFirst = ({ key, part }: TableColumn): boolean => part !== 'job' || FIRST.has(key);
  return [...shown.filter(isFirst), ...shown.filter(column => !isFirst(column))].map(column => column.key);
}

/** Show what is shown in a new table, and pin what is pinned there. */
export function withDefaultColumns(state: TableState): TableState {
  return { ...state, columns: NEW_STATE.columns, pinned: NEW_STATE.pinned };
}

/** Sort by this column; by one that is sorted by already, the other way round. */
export function sortBy(state: TableState, key: string, isDescending?: boolean): TableState {
  const turned = state.sort === key ? !state.isDescending : false;
  return { ...state, sort: key, isDescending: isDescending ?? turned };
}

/** Show or hide a column; one that is new comes last. */
export function withColumn(state: TableState, all: readonly TableColumn[], key: string, isShown: boolean): TableState {
  const others = shownKeys(state, all).filter(other => other !== key);
  return { ...state, columns: isShown ? [...others, key] : others };
}

export function withPin(state: TableState, key: string, isPinned: boolean): TableState {
  const others = state.pinned.filter(other => other !== key);
  return { ...state, pinned: isPinned ? [...others, key] : others };
}

export function withWidth(state: TableState, key: string, width: number): TableState {
  return { ...state, widths: { ...state.widths, [key]: bounded(width) } };
}

/** Move a column to where another one is; into those that are pinned it is pinned, out of them it is not. */
export function moveTo(state: TableState, all: readonly TableColumn[], key: string, target: string): TableState {
  const keys = shownKeys(state, all);
  const [from, to] = [keys.indexOf(key), keys.indexOf(target)];
  if (from < 0 || to < 0 || from === to) {
    return state;
  }
  const order = keys.filter(other => other !== key);
  order.splice(to, 0, key);
  const pins = new Set(state.pinned);
  const isPinned = pins.has(target);
  const pinned = order.filter(other => (other === key ? isPinned : pins.has(other)));
  return { ...state, columns: order, pinned };
}

/** Move a column by one place; one at the end stays. */
export function moveBy(state: TableState, all: readonly TableColumn[], key: string, by: number): TableState {
  const keys = shownKeys(state, all);
  const target = keys[keys.indexOf(key) + by];
  return target === undefined ? state : moveTo(state, all, key, target);
}

function isKey(value: unknown): value is string {
  return isText(value, LONGEST);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest;
}

function keysIn(values: readonly unknown[]): string[] {
  return [...new Set(values.filter(isKey))].slice(0, MOST_KEYS);
}

function bounded(width: number): number {
  return Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, Number.isFinite(width) ? width : LEAST_WIDTH)));
}
