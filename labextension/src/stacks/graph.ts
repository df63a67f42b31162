/**
 * The flame graph: a tree whose items lie where their samples are. A click or Enter makes an item as wide as the whole;
 * Escape shows all again. Down goes to what a line called, up to its caller, left and right to its neighbours.
 *
 * What is too thin to be seen is not drawn; zooming in shows it.
 */

import { Disposables, element } from '../parts/dom.js';
import type { Say } from '../tokens.js';
import type { FlameNode } from './flame.js';

const ROW = 20; // pixels
const NARROWEST = 1 / 500; // of the width

export class FlameGraph {
  readonly element: HTMLElement;
  readonly #root: FlameNode;
  readonly #say: Say;
  readonly #drawn = new Map<FlameNode, HTMLElement>();
  readonly #nodes = new WeakMap<Element, FlameNode>();
  readonly #lasting = new Disposables();
  #zoom: FlameNode;
  #current: FlameNode | null = null; // the one in the tab order

  constructor(root: FlameNode, say: Say) {
    this.#root = this.#zoom = root;
    this.#say = say;
    this.element = element('div', { class: 'pj-JobView-flame', role: 'tree', 'aria-label': say('Flame graph') });
    this.#lasting.listen(this.element, 'click', event => this.#click(event));
    this.#lasting.listen(this.element, 'keydown', event => this.#press(event));
    this.#draw();
  }

  dispose(): void {
    this.#lasting.dispose();
    this.element.remove();
  }

  #draw(): void {
    this.#drawn.clear();
    const above: FlameNode[] = [];
    for (let one = this.#zoom.parent; one?.parent; one = one.parent) {
      above.unshift(one);
    }
    const rows = [...above, ...(this.#zoom === this.#root ? [] : [this.#zoom])];
    rows.forEach(one => this.#add(one, 0, 1));
    this.#addBelow(this.#zoom);
    const deepest = Math.max(0, ...[...this.#drawn.keys()].map(({ depth }) => depth));
    this.element.style.height = `${(deepest + 1) * ROW}px`;
    this.element.replaceChildren(...this.#drawn.values());
    this.#choose(this.#current && this.#drawn.has(this.#current) ? this.#current : this.#first());
  }

  #first(): FlameNode | null {
    return this.#zoom === this.#root ? (this.#root.children[0] ?? null) : this.#zoom;
  }

  #addBelow({ children }: FlameNode): void {
    const { start, samples } = this.#zoom;
    for (const child of children) {
      const width = child.samples / samples;
      if (width >= NARROWEST) {
        this.#add(child, (child.start - start) / samples, width);
        this.#addBelow(child);
      }
    }
  }

  #add(one: FlameNode, left: number, width: number): void {
    const part = ((100 * one.samples) / this.#root.samples).toFixed(1);
    const label = this.#say('{name}: {part} %, {count} samples', { name: one.name, part, count: one.samples });
    const kind = one.isProcess ? 'process' : one.isOwn ? 'own' : 'other';
    const made = element(
      'div',
      {
        class: `pj-JobView-flame-${kind}`,
        role: 'treeitem',
        tabindex: -1,
        title: label,
        'aria-label': label,
        'aria-level': one.depth + 1,
        'aria-selected': String(one === this.#zoom)
      },
      width > 0.02 ? one.name : null
    );
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${one.depth * ROW}px`;
    this.#drawn.set(one, made);
    this.#nodes.set(made, one);
  }

  #choose(one: FlameNode | null): void {
    if (this.#current) {
      this.#drawn.get(this.#current)?.setAttribute('tabindex', '-1');
    }
    this.#current = one;
    if (one) {
      this.#drawn.get(one)?.setAttribute('tabindex', '0');
    }
  }

  #focus(one: FlameNode | null | undefined): void {
    if (one && this.#drawn.has(one)) {
      this.#choose(one);
      this.#drawn.get(one)?.focus();
    }
  }

  #zoomTo(one: FlameNode): void {
    const had = this.element.contains(document.activeElement);
    this.#zoom = one;
    this.#draw();
    if (had) {
      this.#focus(this.#current);
    }
  }

  #click(event: Event): void {
    const one = event.target instanceof Element ? this.#nodes.get(event.target) : undefined;
    if (one) {
      this.#current = one;
      this.#zoomTo(one === this.#zoom ? this.#root : one);
      this.#focus(one);
    }
  }

  #press(event: KeyboardEvent): void {
    const one = this.#current;
    if (!one || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const beside = (one.parent?.children ?? []).filter(each => this.#drawn.has(each));
    const at = beside.indexOf(one);
    const moves: Record<string, FlameNode | null | undefined> = {
      ArrowDown: one.children[0],
      ArrowUp: one.parent,
      ArrowLeft: beside[at - 1],
      ArrowRight: beside[at + 1],
      Home: this.#first()
    };
    if (event.key in moves) {
      this.#focus(moves[event.key]);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.#zoomTo(one);
    } else if (event.key === 'Escape' && this.#zoom !== this.#root) {
      this.#zoomTo(this.#root);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
