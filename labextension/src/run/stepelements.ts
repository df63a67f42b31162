/**
 * The elements of the steps that are shown, be it nodes or rows: found by path, and Tab leads to one of them.
 *
 * Rule: an element stays as long as its step is shown; it has its path in `data-path`.
 */

import { Disposables } from '../parts/dom.js';
import { isOver } from './status.js';
import type { RunContext, RunStep } from './tokens.js';

export type StepOf = (path: string) => RunStep | undefined;

export interface StepElement {
  readonly element: HTMLElement;
  /** Time has passed. */
  tick(): void;
}

export class StepElements<E extends StepElement> {
  readonly #make: (path: string) => E;
  readonly #stepOf: StepOf;
  readonly #made = new Map<string, E>();
  readonly #lasting = new Disposables();
  #active = ''; // the step that Tab leads to

  /** `area` holds the elements. */
  constructor(area: HTMLElement, context: RunContext, stepOf: StepOf, make: (path: string) => E) {
    this.#make = make;
    this.#stepOf = stepOf;
    this.#lasting.listen(area, 'mousedown', event => {
      if (pathAt(event.target) !== null) {
        event.preventDefault(); // the focus comes with the click: what it shows could move the step away
      }
    });
    this.#lasting.listen(area, 'focusin', ({ target }) => {
      const path = pathAt(target);
      if (path !== null) {
        this.#activate(path);
        context.focused(path);
      }
    });
  }

  get active(): string {
    return this.#active;
  }

  get(path: string): E | undefined {
    return this.#made.get(path);
  }

  /** Have these and no others; gives them in this order. */
  keep(paths: readonly string[]): E[] {
    const wanted = new Set(paths);
    [...this.#made]
      .filter(([path]) => !wanted.has(path))
      .forEach(([path, { element }]) => {
        element.remove();
        this.#made.delete(path);
      });
    const kept = paths.map(path => {
      const one = this.#made.get(path) ?? this.#make(path);
      this.#made.set(path, one);
      return one;
    });
    if (!wanted.has(this.#active)) {
      this.#activate(paths[0] ?? '');
    }
    return kept;
  }

  /** Time has passed, for those that run. */
  tick(): void {
    this.#made.forEach((one, path) => {
      const step = this.#stepOf(path);
      if (step?.started !== undefined && !isOver(step.status)) {
        one.tick();
      }
    });
  }

  /** Put the focus on this step, or on the one that Tab leads to. */
  focus(path = this.#active): void {
    (this.#made.get(path) ?? this.#made.get(this.#active))?.element.focus();
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  #activate(path: string): void {
    this.#made.get(this.#active)?.element.setAttribute('tabindex', '-1');
    this.#active = path;
    this.#made.get(path)?.element.setAttribute('tabindex', '0');
  }
}

/** The step whose element this is, or is in. */
export function pathAt(target: EventTarget | null): string | null {
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-path]') : null;
  return found?.dataset['path'] ?? null;
}
