/**
 * What the application's own parts say of jobs: notifications, the item of the status bar, the badge of the panel.
 */

import { type ISignal, Signal } from '@lumino/signaling';
import { type Title, Widget } from '@lumino/widgets';

import { readStatus, statusWord } from '../head/status.js';
import { button, setText } from '../parts/dom.js';
import { lookWord, reasonOf } from '../run/status.js';
import type { RunHead } from '../run/tokens.js';
import { inputLabels } from '../run/values.js';
import type { JobRow } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { plain } from '../text/sanitize.js';
import type { Say, Snapshot } from '../tokens.js';

const MOST = 3; // notifications at once; more jobs share one
const SHOWN = 140; // characters of a notification that JupyterLab shows
const PATIENCE = 3_000; // milliseconds that the end of a job waits for its cause

/** A notification: about one job, about several, or about a run. */
export interface Notice {
  readonly message: string;
  readonly kind: 'success' | 'error' | 'info' | 'warning';
  readonly job: string | null;
  readonly run?: string;
}

/** Why jobs failed, by their ids: of those that get a notification of their own, as far as it can be had in time. */
export async function failureCauses(rows: readonly JobRow[], rest: Pick<Rest, 'get'>): Promise<Map<string, string>> {
  const failed = rows.length <= MOST ? rows.filter(row => row.status === 'failed') : [];
  const found = await Promise.all(
    failed.map(async ({ id }): Promise<[string, string]> => {
      const asked = rest.get<Pick<Snapshot, 'failure'>>(`jobs/${encodeURIComponent(id)}`);
      const late = new Promise<null>(resolve => setTimeout(() => resolve(null), PATIENCE));
      const answer = await Promise.race([asked, late]).catch(() => null);
      return [id, plain(answer?.failure?.cause)];
    })
  );
  return new Map(found.filter(([, cause]) => cause !== ''));
}

/** What to tell of jobs that have just ended: `causes` has why they failed, `differs` what tells runs apart. */
export function endNotices(
  rows: readonly JobRow[],
  say: Say,
  causes: ReadonlyMap<string, string> = new Map(),
  differs: (id: string) => string = () => ''
): Notice[] {
  if (rows.length <= MOST) {
    return rows.map(row => {
      const message = endText(row, say, causes.get(row.id), differs(row.id));
      return { message, kind: kindOf([row]), job: row.id };
    });
  }
  const failed = rows.filter(row => row.status === 'failed').length;
  const text = failed
    ? '{count} training jobs have ended, {failed} of them failed.'
    : '{count} training jobs have ended.';
  return [{ message: say(text, { count: rows.length, failed }), kind: kindOf(rows), job: null }];
}

/** What to tell of jobs that have just got an alert. */
export function alertNotices(rows: readonly JobRow[], say: Say): Notice[] {
  if (rows.length > MOST) {
    const message = say('{count} training jobs have alerts: a metric is no number, or no progress.', {
      count: rows.length
    });
    return [{ message, kind: 'warning', job: null }];
  }
  return rows.map(row => {
    const values = { job: plain(row.name, 40) || row.id, alert: plain(row.alert?.text) };
    return { message: plain(say('{job}: {alert}', values), SHOWN), kind: 'warning', job: row.id };
  });
}

/** What to tell of a run that has just ended. */
export function runNotice(run: RunHead, say: Say): Notice {
  const inputs = plain(inputLabels(run.inputs).join(' '), 40);
  const job = [say('Run {name}', { name: plain(run.name, 40) || run.id }), inputs].filter(Boolean).join(' · ');
  const values = { job, state: lookWord(run.status, say), cause: reasonOf(run) };
  const message = plain(say(values.cause ? '{job}: {state}. {cause}' : '{job}: {state}', values), SHOWN);
  return { message, kind: kindOf([run]), job: null, run: run.id };
}

function endText(row: JobRow, say: Say, cause = '', differs = ''): string {
  const name = plain(row.name, cause ? 40 : 60) || row.id;
  const job = differs ? `${name} · ${plain(differs, 40)}` : name;
  const values = { job, state: statusWord(readStatus(row.status), say), cause: plain(cause) };
  return cause ? plain(say('{job}: {state}. {cause}', values), SHOWN) : say('{job}: {state}', values);
}

function kindOf(rows: readonly Pick<JobRow | RunHead, 'status'>[]): Notice['kind'] {
  if (rows.some(row => row.status === 'failed')) {
    return 'error';
  }
  return rows.every(row => row.status === 'succeeded') ? 'success' : 'info';
}

/** "2 running" in the status bar; there only while some are. */
export class StatusItem extends Widget {
  readonly #button: HTMLButtonElement;
  readonly #changed = new Signal<this, void>(this);
  #isActive = false;

  constructor(show: () => void) {
    super();
    this.addClass('pj-Panel-statusItem');
    this.#button = button('', 'bare', show);
    this.node.append(this.#button);
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  get activeChanged(): ISignal<this, void> {
    return this.#changed;
  }

  draw(running: number, say: Say): void {
    setText(this.#button, say('{count} running', { count: running }));
    this.#button.title = say('Training jobs');
    if (this.#isActive !== running > 0) {
      this.#isActive = running > 0;
      this.#changed.emit();
    }
  }

  override dispose(): void {
    Signal.clearData(this);
    super.dispose();
  }
}

/** The panel's tab: its name, and a badge with how many run and how many have failed. */
export function drawBadge(title: Title<Widget>, running: number, failed: number, say: Say): void {
  const badge = [failed ? `✗${failed}` : '', running ? String(running) : ''].filter(Boolean).join(' ');
  const counts = [
    running ? say('{count} running', { count: running }) : '',
    failed ? say('{count} failed', { count: failed }) : ''
  ].filter(Boolean);
  title.caption = [say('Training jobs'), counts.join(', ')].filter(Boolean).join(': ');
  const { ['pj-badge']: _, ['pj-failed']: __, ...rest } = title.dataset;
  title.dataset = { ...rest, ...(badge ? { 'pj-badge': badge } : {}), ...(failed ? { 'pj-failed': '' } : {}) };
}
