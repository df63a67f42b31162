/**
 * How each replica of a job stands, where it has several and something is known of them: a button a replica, which
 * opens its log. The cause stands first: what the job's reason names, else the first to fail; others may have failed
 * for want of it.
 */

import { isTerminal } from '../events.js';
import { withLabel } from '../parts/controls.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { JobFacts, JobStateJson, ReplicaState, Say, Status } from '../tokens.js';
import { glyph, readStatus, statusWord } from './status.js';

export class Replicas {
  readonly element = element('ul', { class: 'pj-JobView-replicas' });
  readonly #say: Say;
  readonly #open: (replica: string) => void;
  #drawn = '';

  constructor(say: Say, open: (replica: string) => void) {
    this.#say = say;
    this.#open = open;
    this.element.setAttribute('aria-label', say('Replicas'));
    this.element.hidden = true;
  }

  draw(job: JobFacts, state: JobStateJson): void {
    const known = job.replicas.length > 1 ? inOrder(job.replicas, state.replicas ?? {}, state.reason) : [];
    const key = JSON.stringify([known, state.status]);
    if (key === this.#drawn) {
      return;
    }
    this.#drawn = key;
    const focused = this.element.querySelector<HTMLElement>(':focus')?.dataset['replica'];
    this.element.replaceChildren(...known.map(each => element('li', {}, this.#button(each, state.status))));
    this.element.hidden = known.length === 0;
    [...this.element.querySelectorAll('button')].find(one => one.dataset['replica'] === focused)?.focus();
  }

  #button([name, replica]: [string, ReplicaState], job: Status): HTMLElement {
    const status = isTerminal(job) && replica.status === 'running' ? 'unknown' : readStatus(replica.status);
    const isSpare = job === 'succeeded' && status === 'stopped'; // its exit code is that of the signal which ended it
    const details = this.#details(replica, isSpare).join(', ');
    const made = element(
      'button',
      { type: 'button', class: 'pj-JobView-replica', 'data-replica': name },
      element('span', { class: 'pj-JobView-glyph', 'aria-hidden': 'true' }, glyph(status)),
      ` ${plain(name, 100)}`,
      element('span', { class: 'pj-JobView-quiet' }, details && ` ${details}`)
    );
    made.dataset['status'] = status;
    made.addEventListener('click', () => this.#open(name)); // it goes with its row
    return withLabel(made, this.#title(plain(name, 100), status, details));
  }

  #title(name: string, status: Status, details: string): string {
    const word = [statusWord(status, this.#say), details].filter(Boolean).join(', ');
    return this.#say('{replica}: {state}. Open its log', { replica: name, state: word });
  }

  #details({ exit_code: code, attempt }: ReplicaState, isSpare: boolean): string[] {
    const again = attempt === 1 ? 'started again once' : 'started again {count} times';
    const end = isSpare ? 'no longer needed' : 'exit code {code}';
    return [
      ...(isSpare || code ? [this.#say(end, { code: code ?? 0 })] : []),
      ...(attempt ? [this.#say(again, { count: attempt })] : [])
    ];
  }
}

/** What is known, by name: the cause, then all in the order of the job. */
function inOrder(
  names: readonly string[],
  known: Readonly<Record<string, ReplicaState>>,
  reason: string
): [string, ReplicaState][] {
  const place = new Map(names.map((name, at) => [name, at]));
  const all = Object.entries(known).sort(([one], [other]) => (place.get(one) ?? 1e9) - (place.get(other) ?? 1e9));
  const failed = all.filter(([, { status }]) => status === 'failed');
  const named = reason.split(/[^\w-]+/);
  const early = failed.sort(([, one], [, other]) => one.time - other.time);
  const cause = early.find(([name]) => named.includes(name)) ?? early[0];
  return cause ? [cause, ...all.filter(each => each !== cause)] : all;
}
