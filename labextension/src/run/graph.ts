/**
 * The picture of one level: edges, and above them the steps as buttons, in an area that scrolls.
 *
 *   arrows, Home, End   the next step in that direction     Enter, click   open it
 *   + - 0               larger, smaller, all of it          Ctrl and wheel, dragging the ground: zoom and move
 *
 * Rule 1: nodes stay as long as their level is shown: a push draws those steps that it brings, and nothing else.
 * Rule 2: what is hidden is not drawn; it is drawn whole when it is shown again.
 */

import { Disposables, element } from '../parts/dom.js';
import { neighbour } from './directions.js';
import { Edges } from './edges.js';
import { StepNode } from './node.js';
import { isOver } from './status.js';
import type { RunContext, RunPicture, RunStep } from './tokens.js';

const [SMALLEST, LARGEST, STEP] = [0.2, 2, 1.25];
const MARGIN = 16; // pixels around the picture, as run.css has it
const BAR = 16; // and of a scroll bar
const ZOOMS: Readonly<Record<string, number>> = { '+': STEP, '=': STEP, '-': 1 / STEP };

export type StepOf = (path: string) => RunStep | undefined;

export class Graph {
  readonly element: HTMLElement;
  readonly #context: RunContext;
  readonly #stepOf: StepOf;
  readonly #edges = new Edges();
  readonly #sheet = element('div', { class: 'pj-Run-sheet' });
  readonly #sizer = element('div', { class: 'pj-Run-sizer' }, this.#sheet);
  readonly #nodes = new Map<string, StepNode>();
  readonly #lasting = new Disposables();
  #picture: RunPicture | null = null;
  #zoom = 1;
  #active = ''; // the step that Tab leads to
  #held: readonly [x: number, y: number] | null = null; // where the mouse holds the ground

  constructor(context: RunContext, stepOf: StepOf) {
    this.#context = context;
    this.#stepOf = stepOf;
    const label = context.say('Graph of the steps');
    this.element = element('div', { class: 'pj-Run-graph', role: 'group', 'aria-label': label }, this.#sizer);
    this.#sheet.append(this.#edges.element);
    const { element: area } = this;
    this.#lasting.listen(area, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(area, 'click', event => this.#clicked(event));
    this.#lasting.listen(area, 'focusin', event => this.#focused(pathAt(event.target)));
    this.#lasting.listen(area, 'wheel', event => this.#wheeled(event), { passive: false });
    this.#lasting.listen(area, 'pointerdown', event => this.#grabbed(event));
    this.#lasting.listen(area, 'pointermove', event => this.#dragged(event));
  }

  get active(): string {
    return this.#active;
  }

  /** Draw this level, whatever was shown. */
  draw(picture: RunPicture): void {
    const isOther = picture !== this.#picture;
    const isOtherLevel = picture.path !== this.#picture?.path;
    this.#picture = picture;
    if (isOther) {
      this.#lay(picture);
    }
    this.#nodes.forEach((_, path) => this.#update(path));
    if (isOtherLevel) {
      this.element.scrollTo?.(0, 0);
    }
  }

  /** These steps have changed. */
  update(steps: readonly RunStep[]): void {
    steps.forEach(({ path }) => this.#update(path));
  }

  /** Time has passed. */
  tick(): void {
    this.#nodes.forEach((node, path) => {
      const step = this.#stepOf(path);
      if (step?.started !== undefined && !isOver(step.status)) {
        node.tick();
      }
    });
  }

  zoomBy(factor: number): void {
    this.#zoomTo(this.#zoom * factor);
  }

  /** Show all of it, no larger than it is. */
  fit(): void {
    if (this.#picture) {
      const { clientWidth: width, clientHeight: height } = this.element;
      const [w, h] = [this.#picture.w + 2 * MARGIN, this.#picture.h + 2 * MARGIN];
      this.#zoomTo(Math.min(1, width / w || 1, height / h || 1));
    }
  }

  /** Put the focus on this step, or on the first. */
  focus(path = this.#active): void {
    const node = this.#nodes.get(path) ?? this.#nodes.values().next().value;
    node?.element.focus();
  }

  dispose(): void {
    this.#lasting.dispose();
  }

  // ---- drawing

  /** Put the nodes to their places; those that stay keep their elements. */
  #lay(picture: RunPicture): void {
    const wanted = new Set(picture.nodes.map(({ path }) => path));
    [...this.#nodes].filter(([path]) => !wanted.has(path)).forEach(([path, node]) => this.#remove(path, node));
    this.#edges.draw(picture);
    for (const place of picture.nodes) {
      let node = this.#nodes.get(place.path);
      if (!node) {
        node = new StepNode(this.#context, place.path);
        this.#nodes.set(place.path, node);
        this.#sheet.append(node.element);
      }
      node.place(place);
    }
    if (!this.#nodes.has(this.#active)) {
      this.#activate(picture.nodes[0]?.path ?? '');
    }
    this.#size();
  }

  #remove(path: string, node: StepNode): void {
    node.element.remove();
    this.#nodes.delete(path);
  }

  #update(path: string): void {
    const [node, step] = [this.#nodes.get(path), this.#stepOf(path)];
    if (node && step) {
      node.draw(step);
      this.#edges.update(path, this.#stepOf);
    }
  }

  #size(): void {
    const { w = 0, h = 0 } = this.#picture ?? {};
    this.#sheet.style.cssText = `width:${w}px;height:${h}px;transform:scale(${this.#zoom})`;
    this.#sizer.style.cssText = `width:${w * this.#zoom}px;height:${h * this.#zoom}px`;
    this.element.style.setProperty('--pj-height', `${Math.ceil(h * this.#zoom) + 2 * MARGIN + BAR}px`);
  }

  #zoomTo(zoom: number): void {
    this.#zoom = Math.max(SMALLEST, Math.min(LARGEST, zoom));
    this.#size();
  }

  // ---- mouse and keys

  #activate(path: string): void {
    this.#nodes.get(this.#active)?.element.setAttribute('tabindex', '-1');
    this.#active = path;
    this.#nodes.get(path)?.element.setAttribute('tabindex', '0');
  }

  #focused(path: string | null): void {
    if (path !== null) {
      this.#activate(path);
      this.#context.focused(path);
    }
  }

  #clicked({ target }: MouseEvent): void {
    const path = pathAt(target);
    if (path !== null) {
      this.#nodes.get(path)?.element.focus(); // Safari gives a clicked button no focus
      this.#context.open(path);
    }
  }

  #pressed(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) {
      return;
    }
    const next = neighbour(this.#picture?.nodes ?? [], this.#active, key);
    const zoom = ZOOMS[key];
    if (next !== null) {
      this.focus(next);
    } else if (zoom !== undefined) {
      this.zoomBy(zoom);
    } else if (key === '0') {
      this.fit();
    } else {
      return;
    }
    event.preventDefault();
  }

  #wheeled(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault(); // the browser would enlarge the whole page
      this.zoomBy(event.deltaY < 0 ? STEP : 1 / STEP);
    }
  }

  /** Hold the ground: what the mouse does then moves the picture. A finger scrolls by itself. */
  #grabbed(event: PointerEvent): void {
    const { element: area } = this;
    const isBar = event.target === area && (event.offsetX >= area.clientWidth || event.offsetY >= area.clientHeight);
    const isHeld = event.button === 0 && event.pointerType !== 'touch' && !isBar && pathAt(event.target) === null;
    this.#held = isHeld ? [event.clientX, event.clientY] : null;
  }

  #dragged(event: PointerEvent): void {
    if (this.#held && event.buttons & 1) {
      this.element.scrollBy(this.#held[0] - event.clientX, this.#held[1] - event.clientY);
      this.#held = [event.clientX, event.clientY];
    } else {
      this.#held = null;
    }
  }
}

/** The step whose node this is, or is in. */
function pathAt(target: EventTarget | null): string | null {
  const node = target instanceof Element ? target.closest<HTMLElement>('.pj-Run-node') : null;
  return node?.dataset['path'] ?? null;
}
