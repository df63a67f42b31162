/**
 * What the runs table asks of the server, over REST below pai-jupyter/api/. Types only, generated: `wire/schema.ts`.
 *
 *   POST table {columns, …}       TableAnswer: the lines of a window, with the cells of these columns
 *   POST table/csv {columns, …}   TableText: all matching jobs
 */

export type {
  TableAnswer,
  TableAsked,
  TableColumn,
  TableLine,
  TableSelection,
  TableSummary,
  TableText
} from '../wire/schema.js';
