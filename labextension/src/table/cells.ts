/** What a cell of the runs table says. */

import { statusWord } from '../head/status.js';
import { clock, formatNumber, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say, Status } from '../tokens.js';
import type { TableColumn, TableLine, TableSummary } from './protocol.js';

const JOB_TITLES: Readonly<Record<string, string>> = {
  state: 'State',
  name: 'Name',
  star: 'Star',
  tags: 'Tags',
  note: 'Notes',
  'recorded name': 'Recorded name',
  created: 'Created at',
  duration: 'Duration',
  backend: 'Backend',
  notebook: 'Notebook',
  started: 'Started at',
  ended: 'Ended at',
  run: 'Run',
  step: 'Step of the run',
  id: 'ID'
};

type Cell = TableLine['cells'][number];

/** A cell as one line; '' where a job has none. */
export function cellText(cell: Cell | undefined, column: Pick<TableColumn, 'key' | 'kind'>, say: Say): string {
  if (cell === null || cell === undefined) {
    return '';
  }
  if (isSummary(cell)) {
    const mean = cellText(cell.mean, column, say);
    return cell.deviation === null ? mean : `${mean} ± ${cellText(cell.deviation, column, say)}`;
  }
  if (column.key === 'job:status') {
    return statusWord(cell as Status, say);
  }
  if (column.key === 'job:star') {
    return '★';
  }
  if (typeof cell !== 'number') {
    return plain(cell);
  }
  switch (column.kind) {
    case 'time':
      return moment(cell);
    case 'seconds':
      return clock(cell);
    default:
      return formatNumber(cell);
  }
}

/** Whether its cells are set to the right. */
export function isNumeric({ kind }: Pick<TableColumn, 'kind'>): boolean {
  return kind === 'number' || kind === 'seconds';
}

/** Whether it is what a group has of a column of numbers. */
export function isSummary(cell: Cell): cell is TableSummary {
  return typeof cell === 'object' && cell !== null;
}

/** What a column is called: those of every job in words of ours, all others as the job calls them. */
export function headingOf({ title, part }: Pick<TableColumn, 'title' | 'part'>, say: Say): string {
  const [, currency] = part === 'job' ? (/^cost \((.+)\)$/.exec(title) ?? []) : [];
  if (currency !== undefined) {
    return say('Cost ({currency})', { currency: plain(currency, 10) });
  }
  return part === 'job' ? say(JOB_TITLES[title] ?? title) : plain(title);
}
