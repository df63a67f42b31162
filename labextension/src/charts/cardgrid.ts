/**
 * Cards in a grid, of which only those in sight are drawn, and those a few at a time.
 *
 * Rule 1: nothing is drawn but in an animation frame, of which a part is taken; the rest waits for the next one.
 * Rule 2: a card out of sight has no canvas. A hundred charts cost what the visible ones cost.
 * Rule 3: charts of one `group` stand under its heading, which folds them away.
 */

import { button, Disposables, element } from '../parts/dom.js';
import { ChartCard, type ChartSpec, type ChartContext } from './card.js';
import type { ChartMaker } from './chart.js';
import type { ChartSettings } from './series.js';
import { readTheme, type ChartTheme, watchTheme } from './theme.js';

const TIME = 12; // milliseconds of a frame that we take
let boards = 0;

export class CardGrid {
  readonly element = element('div', { class: 'pj-JobView-cards' });
  readonly #voice: ChartContext;
  readonly #load: () => Promise<ChartMaker>;
  readonly #failed: () => void;
  readonly #group = `pai-jupyter-${(boards += 1)}`;
  readonly #cards = new Map<string, ChartCard>();
  readonly #owners = new Map<Element, ChartCard>(); // by the place of the chart, which is what is watched
  readonly #headings = new Map<string, HTMLButtonElement>();
  readonly #trash = new Disposables();
  readonly #sight: IntersectionObserver | null;
  readonly #sizes: ResizeObserver | null;
  #theme: ChartTheme | null = null;
  #make: ChartMaker | null = null;
  #frame = 0; // the animation frame that is asked for; 0: none
  #isShown = false;

  /** `load` gives the maker of charts when the first one is needed; `failed` hears when it cannot. */
  constructor(voice: ChartContext, load: () => Promise<ChartMaker>, failed: () => void) {
    this.#voice = voice;
    this.#load = load;
    this.#failed = failed;
    this.#sight =
      typeof IntersectionObserver === 'undefined'
        ? null
        : new IntersectionObserver(entries => this.#seen(entries), { rootMargin: '200px' });
    this.#sizes = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(entries => this.#resized(entries));
    const theme = watchTheme(() => this.#restyle());
    this.#trash.add(() => theme.dispose());
    this.#trash.add(() => this.#sight?.disconnect());
    this.#trash.add(() => this.#sizes?.disconnect());
    this.#trash.add(() => cancelAnimationFrame(this.#frame));
  }

  /** Work or rest. */
  set isAwake(isAwake: boolean) {
    this.#isShown = isAwake;
    this.#wake();
  }

  show(plans: readonly ChartSpec[], look: ChartSettings): void {
    const keys = new Set(plans.map(plan => plan.key));
    [...this.#cards].filter(([key]) => !keys.has(key)).forEach(([key, card]) => this.#remove(key, card));
    const wanted = plans.flatMap((plan, index) => {
      const card = this.#cards.get(plan.key) ?? this.#add(plan, look);
      card.set(plan, look);
      const heading = plan.group ? this.#heading(plan.group) : null;
      card.element.hidden = heading !== null && !isOpen(heading);
      return heading && plan.group !== plans[index - 1]?.group ? [heading, card.element] : [card.element];
    });
    wanted.forEach((part, index) => {
      const here = this.element.children[index] ?? null;
      if (here !== part) {
        this.element.insertBefore(part, here); // what stays keeps the focus
      }
    });
    [...this.element.children].slice(wanted.length).forEach(part => part.remove()); // headings of groups that are gone
    this.#wake();
  }

  dispose(): void {
    this.#isShown = false;
    this.#cards.forEach((card, key) => this.#remove(key, card));
    this.#trash.dispose();
  }

  /** The heading of a group; pressed, it folds the cards behind it, up to the next heading. */
  #heading(group: string): HTMLButtonElement {
    const made =
      this.#headings.get(group) ??
      button(group, 'bare', () => {
        made.setAttribute('aria-expanded', String(!isOpen(made)));
        let card = made.nextElementSibling;
        for (; card instanceof HTMLElement && !(card instanceof HTMLButtonElement); card = card.nextElementSibling) {
          card.hidden = !isOpen(made);
        }
      });
    if (!this.#headings.has(group)) {
      made.classList.add('pj-JobView-cardGroup');
      made.setAttribute('aria-expanded', 'true');
      this.#headings.set(group, made);
    }
    return made;
  }

  #add(plan: ChartSpec, look: ChartSettings): ChartCard {
    const card = new ChartCard(this.#voice, this.#group, () => this.#wake(), plan, look);
    card.isVisible = this.#sight === null;
    this.#cards.set(plan.key, card);
    this.#owners.set(card.holder, card);
    this.#sight?.observe(card.holder);
    this.#sizes?.observe(card.holder);
    return card;
  }

  #remove(key: string, card: ChartCard): void {
    this.#sight?.unobserve(card.holder);
    this.#sizes?.unobserve(card.holder);
    this.#owners.delete(card.holder);
    this.#cards.delete(key);
    card.dispose();
  }

  #seen(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const card = this.#owners.get(target);
      if (card) {
        card.isVisible = isIntersecting;
        if (!isIntersecting) {
          card.sleep();
        }
      }
    }
    this.#wake();
  }

  #resized(entries: ResizeObserverEntry[]): void {
    for (const { target, contentRect } of entries) {
      const card = this.#owners.get(target);
      const width = Math.floor(contentRect.width);
      if (card && width > 0 && card.width !== width) {
        card.width = width;
        card.isStale = true;
      }
    }
    this.#wake();
  }

  #restyle(): void {
    this.#theme = null;
    this.#cards.forEach(card => {
      card.isStale = true;
    });
    this.#wake();
  }

  #waiting(): ChartCard | undefined {
    return [...this.#cards.values()].find(card => card.isVisible && card.isStale);
  }

  #wake(): void {
    if (this.#isShown && this.#frame === 0 && this.#waiting()) {
      this.#frame = requestAnimationFrame(begun => this.#work(begun));
    }
  }

  #work(begun: number): void {
    this.#frame = 0;
    if (this.#make) {
      this.#draw(begun + TIME, this.#make);
    } else {
      this.#load().then(
        make => {
          this.#make = make;
          this.#wake();
        },
        () => this.#giveUp()
      );
    }
  }

  /** Until somebody wakes the board again. */
  #giveUp(): void {
    this.#isShown = false;
    this.#failed();
  }

  /** uPlot paints in a microtask; so the next card waits for its turn in one, and the time it took is counted. */
  #draw(end: number, make: ChartMaker): void {
    const card = this.#isShown ? this.#waiting() : undefined;
    if (card === undefined) {
      return;
    }
    card.draw(make, (this.#theme ??= readTheme(this.element)));
    if (performance.now() < end) {
      queueMicrotask(() => this.#draw(end, make));
    } else {
      queueMicrotask(() => this.#wake());
    }
  }
}

function isOpen(heading: HTMLElement): boolean {
  return heading.getAttribute('aria-expanded') === 'true';
}
