/**
 * One job as an element of the list: two lines of fixed height, in as little as 200 pixels.
 *
 *   ● iris-3  lr=0.3 batch=64          ¥0.13 · 03:12
 *     Running · iris.ipynb · docker   loss 0.12 ▁▂▅▇
 *   ▓▓▓▓▓▓▓▓▓░░░░░░░
 *
 * The star stands below the glyph, which is where a row has room for it, and tags behind the name.
 * In a narrow panel the notebook goes first, then the place, then the course: the number of the metric stays.
 *
 * Rule 1: `draw` may be called every second: it writes only what has changed.
 * Rule 2: what the row shows in pieces its label says in one sentence, for those who hear it.
 */

import { isTerminal, numberOf } from '../events.js';
import { glyph, readStatus, statusWord } from '../head/status.js';
import { element, setText } from '../parts/dom.js';
import { clock, duration, formatValue, moment } from '../text/format.js';
import { spentText } from '../text/money.js';
import { plain } from '../text/sanitize.js';
import { readRunLocation } from '../text/runlocation.js';
import type { Say } from '../tokens.js';
import type { Spark } from './list.js';
import type { JobRow } from './protocol.js';
import { Sparkline } from './sparkline.js';
import type { RowView } from './virtuallist.js';

const AGES: readonly (readonly [seconds: number, text: string])[] = [
  [86_400, '{n}d ago'],
  [3_600, '{n}h ago'],
  [60, '{n}m ago'],
  [1, '{n}s ago']
];

const [STARRED, UNSTARRED] = ['★', '☆'];
const MOST_TAGS = 2; // shown as such

export const ROW_HEIGHT = 44; // pixels, as panel.css has it

/** What a row needs to know besides the job. */
export interface RowContext {
  readonly say: Say;
  now(): number; // on the machine that keeps the jobs
  spark(id: string): Spark | undefined;
  differs(id: string): string; // what tells it from others of its name
}

export class JobRowView implements RowView<JobRow> {
  readonly element = element('div', { class: 'pj-Panel-row', role: 'option' });
  readonly #around: RowContext;
  readonly #glyph = element('span', { class: 'pj-Panel-glyph' });
  readonly #name = element('span', { class: 'pj-Panel-name' });
  readonly #differs = element('span', { class: 'pj-Panel-differs' });
  readonly #tags = element('span', { class: 'pj-Panel-tags' });
  readonly #star = element('span', { class: 'pj-Panel-star' });
  readonly #time = element('span', { class: 'pj-Panel-time' });
  readonly #word = element('span', { class: 'pj-Panel-word' });
  readonly #trouble = element('span');
  readonly #notebook = element('span', { class: 'pj-Panel-notebook' });
  readonly #where = element('span', { class: 'pj-Panel-where' });
  readonly #about = element('span', { class: 'pj-Panel-about' }, this.#trouble, this.#notebook, this.#where);
  readonly #metric = element('span', { class: 'pj-Panel-metric' });
  readonly #spark = new Sparkline();
  readonly #bar = element('span', { class: 'pj-Panel-bar' });
  #row: JobRow | null = null;

  constructor(around: RowContext) {
    this.#around = around;
    const about = element('span', { class: 'pj-Panel-line' }, this.#word, this.#about);
    const course = element('span', { class: 'pj-Panel-course' }, this.#metric, this.#spark.element);
    const second = element('span', { class: 'pj-Panel-second' }, about, course);
    const first = element('span', { class: 'pj-Panel-first' }, this.#name, this.#differs, this.#tags);
    this.element.append(this.#glyph, first, this.#time, this.#star, second, this.#bar);
    [...this.element.children].forEach(part => part.setAttribute('aria-hidden', 'true')); // the label says it
  }

  draw(row: JobRow): void {
    const { now, say, spark, differs } = this.#around;
    setText(this.#differs, differs(row.id));
    if (row !== this.#row) {
      this.#row = row;
      this.#drawFacts(row);
    }
    const time = [rowCost(row, now(), say), timeText(row, now(), say)].filter(Boolean).join(' · ');
    setText(this.#time, time);
    this.#spark.draw(row.metric ? spark(row.id) : undefined);
    const label = this.#label(row, time);
    if (this.element.getAttribute('aria-label') !== label) {
      this.element.setAttribute('aria-label', label);
    }
  }

  #drawFacts(row: JobRow): void {
    const { say } = this.#around;
    const status = readStatus(row.status);
    this.element.dataset['status'] = status;
    this.element.toggleAttribute('data-elsewhere', !row.is_here);
    this.element.toggleAttribute('data-inside', Boolean(row.run)); // under the fold of its run
    setText(this.#glyph, glyph(status));
    const step = row.run ? plain(row.step, 100) : ''; // its fold says the name of the run
    setText(this.#name, (row.recorded_name ? '' : step) || plain(row.name, 100) || plain(row.id, 100));
    this.#drawLabels(row);
    setText(this.#word, statusWord(status, say) + stateDetail(row));
    this.#drawAbout(row);
    setText(this.#metric, metricText(row));
    this.element.toggleAttribute('data-measured', row.metric !== null);
    this.#bar.hidden = row.progress === null || isTerminal(row.status);
    this.#bar.style.setProperty('--pj-part', String(Math.max(0, Math.min(1, row.progress ?? 0))));
    this.element.title = titleText(row, say);
  }

  /** Star and tags; the star of a job without a record here has nowhere to be kept. */
  #drawLabels({ is_here, is_starred = false, tags = [] }: JobRow): void {
    const { say } = this.#around;
    setText(this.#star, is_starred ? STARRED : UNSTARRED);
    this.#star.hidden = !is_here;
    this.#star.title = say(is_starred ? 'Remove star (*)' : 'Add star (*)');
    this.#star.toggleAttribute('data-on', is_starred);
    this.#tags.replaceChildren(...tagChips(tags));
  }

  /** Pieces that end with the dot before the next one, so that the notebook can be left out where there is no room. */
  #drawAbout(row: JobRow): void {
    const [trouble, notebook, where] = aboutTexts(row, this.#around.say);
    const isLast = [!notebook && !where, !where];
    setText(this.#trouble, trouble && trouble + (isLast[0] ? '' : ' · '));
    setText(this.#notebook, notebook && notebook + (isLast[1] ? '' : ' · '));
    setText(this.#where, where);
    this.#about.toggleAttribute('data-said', Boolean(trouble || notebook || where));
  }

  #label(row: JobRow, time: string): string {
    const progress = row.progress === null || isTerminal(row.status) ? '' : `${Math.floor(100 * row.progress)} %`;
    const texts = [
      this.#name.textContent,
      this.#differs.textContent,
      this.#row?.is_starred ? this.#around.say('starred') : '',
      tagsText(row),
      this.#word.textContent,
      progress,
      aboutText(row, this.#around.say),
      time,
      metricText(row)
    ];
    return texts.filter(Boolean).join(', ');
  }
}

/** How long a job has run or waited; of one that has ended, how long ago. */
export function timeText({ status, created, started, ended }: JobRow, now: number, say: Say): string {
  return isTerminal(status) ? ageText(now - (ended ?? created), say) : clock(now - (started ?? created));
}

/** What a job has cost; '' before it runs, and where its price is not known. */
export function rowCost({ cost, status, started, ended }: JobRow, now: number, say: Say): string {
  if (!cost || started === null) {
    return '';
  }
  const isOver = isTerminal(status);
  return spentText(cost, (isOver ? (ended ?? started) : now) - started, true, say);
}

function ageText(seconds: number, say: Say): string {
  const [unit, text] = AGES.find(([size]) => seconds >= size) ?? [1, '{n}s ago'];
  return say(text, { n: Math.max(0, Math.floor(seconds / unit)) });
}

function aboutText(row: JobRow, say: Say): string {
  return aboutTexts(row, say).filter(Boolean).join(' · ');
}

/** What is in the way of the job or that it is not of here, its notebook, and where it runs. */
function aboutTexts(row: JobRow, say: Say): [trouble: string, notebook: string, where: string] {
  const elsewhere = row.is_here ? '' : say('submitted elsewhere');
  const trouble = [troubleText(row), elsewhere].filter(Boolean).join(' · ');
  return [trouble, plain(baseName(row.notebook), 80), plain(whereText(row, say), 80)];
}

function troubleText({ trouble }: JobRow): string {
  return plain(trouble ?? '', 300);
}

/** E.g. "Local process · rerun of j1 · 1 chief, 2 worker"; the reason is in the tooltip: a narrow line has no room. */
export function whereText({ backend, place, title: of, roles = '' }: JobRow, say: Say): string {
  const { title } = readRunLocation(place, say, of);
  const isWhole = title !== plain(place) || place.startsWith(backend);
  const service = isWhole ? '' : readRunLocation(backend, say).title;
  return [service, title, plain(roles, 60)].filter(Boolean).join(' · ');
}

/** The place in line of a job that waits for a free slot of this machine; the replica that failed a job of several. */
function stateDetail({ status, in_line: place, failed_replica: replica }: JobRow): string {
  if (status === 'queued' && typeof place === 'number') {
    return ` (${place})`;
  }
  return status === 'failed' && replica ? ` (${plain(replica, 60)})` : '';
}

function metricText({ metric }: JobRow): string {
  return metric ? `${plain(metric.name, 40)} ${formatValue(numberOf(metric.value), '')}` : '';
}

/** As many tags as have room beside a name, and how many more there are; a narrow row shows only how many. */
function tagChips(tags: readonly string[]): HTMLElement[] {
  const chip = (text: string, kind: string): HTMLElement =>
    element('span', { class: `pj-JobView-tag ${kind}` }, plain(text, 50));
  const shown = tags.slice(0, MOST_TAGS).map(tag => chip(tag, 'pj-Panel-tag'));
  const left = tags.length - MOST_TAGS;
  const more = left > 0 ? [chip(`+${left}`, 'pj-Panel-tag')] : [];
  return [...shown, ...more, ...(tags.length ? [chip(`+${tags.length}`, 'pj-Panel-tagCount')] : [])];
}

function tagsText({ tags = [] }: JobRow): string {
  return tags.map(tag => plain(tag, 50)).join(' ');
}

function titleText(row: JobRow, say: Say): string {
  const { id, notebook, created, started, ended } = row;
  const lines = [
    troubleText(row),
    [row.name, row.recorded_name]
      .map(name => plain(name, 300))
      .filter(Boolean)
      .join(' – '),
    tagsText(row),
    plain(row.note ?? '', 300),
    plain(row.values?.join(' ') ?? '', 500),
    plain(id, 128),
    plain(notebook),
    [plain(whereText(row, say)), readRunLocation(row.place, say, row.title).reason].filter(Boolean).join(' – '),
    metricText(row),
    say('created {time}', { time: moment(created) }),
    started === null ? '' : say('started {time}', { time: moment(started) }),
    ended === null ? '' : say('ended {time}', { time: moment(ended) }),
    started === null || ended === null ? '' : say('took {time}', { time: duration(ended - started) })
  ];
  return lines.filter(Boolean).join('\n');
}

function baseName(path: string | null): string {
  return path?.split('/').at(-1) ?? '';
}
