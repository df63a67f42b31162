/** One of the jobs that are compared: its source, and what that has told, kept as a view of the job keeps it. */

import { textOf } from '../cell/values.js';
import { PushedModel } from '../model.js';
import { distinctions } from '../text/distinction.js';
import { plain } from '../text/sanitize.js';
import type { JobSource, Push, Scalar, SourceStatus } from '../tokens.js';

const MOST = 80; // characters of what differs

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

/**
 * What to call each of these: its name, and the values in which those of the same name differ; these alone where all
 * have one name. Where even that is the same, the id too.
 */
export function labels(jobs: readonly ComparedJob[]): string[] {
  const told = distinctions(jobs.map(({ name, model }) => ({ name, values: texts(model.job?.values ?? {}) })));
  const isOne = jobs.every(({ name }) => name === jobs[0]?.name);
  const names = jobs.map(({ name }, at) => {
    const own = plain(told[at]?.join(' ') ?? '', MOST);
    return isOne && own ? own : [name, own].filter(Boolean).join(' · ');
  });
  return jobs.map(({ id }, at) => {
    const name = names[at] ?? id;
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${id})`;
  });
}

function texts(values: Readonly<Record<string, Scalar>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${textOf(value)}`);
}
