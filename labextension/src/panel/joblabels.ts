/**
 * What each row is told apart by: the values in which the jobs of its name differ, `lr=0.3 batch=64`. The same of runs.
 *
 * Rule: values never change once a job is there, so all is counted again only when jobs come, go or are renamed. Jobs
 *   are told apart within their recorded name: a new name changes nothing of what the others show.
 */

import { distinctions } from '../text/distinction.js';
import { plain } from '../text/sanitize.js';
import type { JobRow } from './protocol.js';

const MOST = 200; // characters

/** A job, or a run with its inputs. */
type Labelled = Pick<JobRow, 'id' | 'name' | 'values' | 'recorded_name'>;

export class JobLabels {
  #known = new Map<string, readonly [name: string, label: string]>();
  #names = new Map<string, number>();

  /** These are the jobs now; true where some are told apart by something else than before. */
  update(rows: ReadonlyMap<string, Labelled>): boolean {
    if (this.#isKnown(rows)) {
      return false;
    }
    const all = [...rows.values()];
    const told = distinctions(
      all.map(({ name, recorded_name = name, values = [] }) => ({ name: recorded_name, values }))
    );
    this.#known = new Map(all.map(({ id, name }, at) => [id, [name, plain(told[at]?.join(' ') ?? '', MOST)]]));
    this.#names = new Map();
    all.forEach(({ name }) => this.#names.set(name, (this.#names.get(name) ?? 0) + 1));
    return true;
  }

  #isKnown(rows: ReadonlyMap<string, Labelled>): boolean {
    for (const [id, { name }] of rows) {
      if (this.#known.get(id)?.[0] !== name) {
        return false;
      }
    }
    return rows.size === this.#known.size;
  }

  of(id: string): string {
    return this.#known.get(id)?.[1] ?? '';
  }

  /** Whether several are called so. */
  hasNamesake(name: string): boolean {
    return (this.#names.get(name) ?? 0) > 1;
  }

  /** The job in a sentence: its name, and where others have it too, what differs and its id. */
  name({ id, name }: Labelled): string {
    const own = plain(name, 60) || id;
    if (own === id || !this.hasNamesake(name)) {
      return own;
    }
    return [own, plain(this.of(id), 60)].filter(Boolean).join(' · ') + ` (${id})`;
  }
}
