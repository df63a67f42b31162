/**
 * What each row is told apart by: the values in which the jobs of its name differ, `lr=0.3 batch=64`.
 *
 * Rule: values never change once a job is there, so all is counted again only when jobs come or go.
 */

import { distinctions } from '../text/distinction.js';
import { plain } from '../text/sanitize.js';
import type { JobRow } from './protocol.js';

const MOST = 200; // characters

export class JobLabels {
  #known = new Map<string, string>();
  #names = new Map<string, number>();

  /** These are the jobs now; true where some are told apart by something else than before. */
  update(rows: ReadonlyMap<string, JobRow>): boolean {
    if (this.#isKnown(rows)) {
      return false;
    }
    const all = [...rows.values()];
    const told = distinctions(all.map(({ name, values = [] }) => ({ name, values })));
    this.#known = new Map(all.map(({ id }, at) => [id, plain(told[at]?.join(' ') ?? '', MOST)]));
    this.#names = new Map();
    all.forEach(({ name }) => this.#names.set(name, (this.#names.get(name) ?? 0) + 1));
    return true;
  }

  #isKnown(rows: ReadonlyMap<string, JobRow>): boolean {
    for (const id of rows.keys()) {
      if (!this.#known.has(id)) {
        return false;
      }
    }
    return rows.size === this.#known.size;
  }

  of(id: string): string {
    return this.#known.get(id) ?? '';
  }

  /** The job in a sentence: its name, and where others have it too, what differs and its id. */
  name({ id, name }: JobRow): string {
    const own = plain(name, 60) || id;
    if (own === id || (this.#names.get(name) ?? 0) < 2) {
      return own;
    }
    return [own, plain(this.of(id), 60)].filter(Boolean).join(' · ') + ` (${id})`;
  }
}
