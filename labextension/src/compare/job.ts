/** One of the jobs that are compared: its source, and what that has told, kept as a view of the job keeps it. */

import { PushedModel } from '../model.js';
import { plain } from '../text/plain.js';
import type { JobSource, Push, SourceStatus } from '../tokens.js';

export class ComparedJob {
  readonly source: JobSource;
  readonly model = new PushedModel();
  status: SourceStatus;
  /** Why there is no news; '' where there is. */
  trouble = '';
  readonly #changed: () => void;
  readonly #leave: () => void;

  /** `changed` hears when the job is another than before, or the connection is; the source stays the caller's. */
  constructor(source: JobSource, changed: () => void) {
    this.source = source;
    this.status = source.status;
    this.#changed = changed;
    this.#leave = source.listen({
      push: push => this.#take(push),
      status: (status, message) => this.#connected(status, message)
    });
  }

  get id(): string {
    return this.source.job;
  }

  get name(): string {
    return plain(this.model.job?.name, 100) || this.id;
  }

  dispose(): void {
    this.#leave();
  }

  #take(push: Push): void {
    this.model.push(push);
    if (push.kind === 'snapshot' || push.kind === 'state') {
      this.#changed();
    }
  }

  #connected(status: SourceStatus, message: string): void {
    this.status = status;
    this.trouble = plain(message, 500);
    this.#changed();
  }
}

/** What to call each of these: its name, and where several have the same, its id too. */
export function labels(jobs: readonly ComparedJob[]): string[] {
  const names = jobs.map(job => job.name);
  return jobs.map(({ id, name }) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${id})`));
}
