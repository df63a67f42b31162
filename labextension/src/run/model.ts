/**
 * What the pushes to a view of a run add up to: its head, its steps by path, and the pictures of its levels.
 *
 * Rule 1: steps that stand are never changed: one that is another object has changed, one that is the same has not.
 * Rule 2: what was known stays while it is told anew: a first push that is not whole is kept beside it until it is.
 */

import type { RunHead, RunPicture, RunPushed, RunStep } from './tokens.js';

/** What a push has changed; `isAll`: steps may have come and gone anywhere. */
export interface RunChange {
  readonly steps: readonly RunStep[];
  readonly levels: ReadonlySet<string>; // that have other steps or another picture now
  readonly isAll: boolean;
}

interface Known {
  steps: Map<string, RunStep>;
  children: Map<string, string[]>; // paths by level, in the order in which they were told
  pictures: Map<string, RunPicture>;
}

export class RunModel {
  run: RunHead | null = null;
  isWhole = false;
  readonly #clock: () => number;
  #ahead: number; // seconds by which the run's clock is ahead of the monotonic one
  #known: Known = nothing();
  #coming: Known | null = null; // a run that is told anew, not yet whole

  /** `clock` counts seconds from anywhere, and never back. */
  constructor(clock: () => number = () => performance.now() / 1000) {
    this.#clock = clock;
    this.#ahead = Date.now() / 1000 - clock();
  }

  /** The time on the machine that keeps the run, in seconds. */
  now(): number {
    return this.#clock() + this.#ahead;
  }

  get size(): number {
    return this.#known.steps.size;
  }

  step(path: string): RunStep | undefined {
    return this.#known.steps.get(path);
  }

  picture(level: string): RunPicture | undefined {
    return this.#known.pictures.get(level);
  }

  /** The steps of a level. */
  within(level: string): readonly RunStep[] {
    return (this.#known.children.get(level) ?? []).flatMap(path => this.#known.steps.get(path) ?? []);
  }

  /** The level of a step, and those that this one lies in, the run itself first. */
  trail(level: string): readonly RunStep[] {
    const found: RunStep[] = [];
    for (let step = this.step(level); step && found.length < 100; step = this.step(step.parent)) {
      found.unshift(step);
    }
    return found;
  }

  push(push: RunPushed): RunChange {
    const { now, run, steps, pictures, gone, is_whole: isWhole } = push;
    this.#ahead = now - this.#clock();
    this.run = run;
    if (push.kind === 'run') {
      this.#coming = nothing();
    }
    const target = this.#coming ?? this.#known;
    const levels = takeIn(target, steps, pictures, gone);
    const isAll = this.#coming !== null && (isWhole || !this.isWhole);
    if (this.#coming && isAll) {
      this.#known = this.#coming;
    }
    if (isWhole) {
      this.#coming = null;
      this.isWhole = true;
    }
    return target === this.#known ? { steps, levels, isAll } : { steps: [], levels: new Set(), isAll: false };
  }
}

function nothing(): Known {
  return { steps: new Map(), children: new Map(), pictures: new Map() };
}

/** Take in what is new; gives the levels that have other steps than before, or another picture. */
function takeIn(
  { steps: known, children, pictures }: Known,
  steps: readonly RunStep[],
  drawn: readonly RunPicture[],
  gone: readonly string[]
): Set<string> {
  const levels = new Set<string>();
  const lost = new Set(gone.filter(path => known.has(path)));
  new Set([...lost].map(path => known.get(path)?.parent ?? '')).forEach(level => {
    children.set(
      level,
      (children.get(level) ?? []).filter(path => !lost.has(path))
    );
    levels.add(level);
  });
  lost.forEach(path => known.delete(path));
  for (const step of steps) {
    if (!known.has(step.path)) {
      const beside = children.get(step.parent);
      if (beside) {
        beside.push(step.path);
      } else {
        children.set(step.parent, [step.path]);
      }
      levels.add(step.parent);
    }
    known.set(step.path, step);
  }
  drawn.forEach(picture => {
    pictures.set(picture.path, picture);
    levels.add(picture.path);
  });
  return levels;
}
