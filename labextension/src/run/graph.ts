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
import { pathAt, StepElements, type StepOf } from './stepelements.js';
import type { RunContext, RunPicture, RunStep } from './tokens.js';

const [SMALLEST, LARGEST, STEP] = [0.1, 2, 1.25];
const MARGIN = 16; // pixels around the picture, as run.css has it
const BAR = 16; // and of a scroll bar
const ZOOMS: Readonly<Record<string, number>> = { '+': STEP, '=': STEP, '-': 1 / STEP };

export class Graph {
  readonly element: HTMLElement;
  readonly #context: RunContext;
  readonly #stepOf: StepOf;
  readonly #edges = new Edges();
  readonly #sheet = element('div', { class: 'pj-Run-sheet' });
  readonly #sizer = element('div', { class: 'pj-Run-sizer' }, this.#sheet);
  readonly #nodes: StepElements<StepNode>;
  readonly #lasting = new Disposables();
  #picture: RunPicture | null = null;
  #zoom = 1;
  #held: readonly [x: number, y: number] | null = null; // where the mouse holds the ground

  constructor(context: RunContext, stepOf: StepOf) {
    this.#context = context;
    this.#stepOf = stepOf;
    const label = context.say('Graph of the steps');
    this.element = element('div', { class: 'pj-Run-graph', role: 'group', 'aria-label': label }, this.#sizer);
    this.#sheet.append(this.#edges.element);
    const { element: area } = this;
    this.#nodes = new StepElements(area, context, stepOf, path => new StepNode(context, path));
    this.#lasting.listen(area, 'keydown', event => this.#pressed(event));
    this.#lasting.listen(area, 'click', event => this.#clicked(event));
    this.#lasting.listen(area, 'wheel', event => this.#wheeled(event), { passive: false });
    this.#lasting.listen(area, 'pointerdown', event => this.#grabbed(event));
    this.#lasting.listen(area, 'pointermove', event => this.#dragged(event));
  }

  /** Draw this level, whatever was shown. */
  draw(picture: RunPicture): void {
    const isOther = picture !== this.#picture;
    const isOtherLevel = picture.path !== this.#picture?.path;
    this.#picture = picture;
    if (isOther) {
      this.#lay(picture);
    }
    picture.nodes.forEach(({ path }) => this.#update(path));
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
    this.#nodes.tick();
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

  /** Put the focus on this step, or on the one that Tab leads to. */
  focus(path?: string): void {
    this.#nodes.focus(path);
  }

  dispose(): void {
    this.#nodes.dispose();
    this.#lasting.dispose();
  }

  // ---- drawing

  /** Put the nodes to their places; those that stay keep their elements. */
  #lay(picture: RunPicture): void {
    this.#edges.draw(picture);
    const nodes = this.#nodes.keep(picture.nodes.map(({ path }) => path));
    this.#sheet.append(...nodes.map(({ element: node }) => node).filter(node => !node.parentNode));
    picture.nodes.forEach((place, at) => nodes[at]?.place(place));
    this.#size();
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
    const next = neighbour(this.#picture?.nodes ?? [], this.#nodes.active, key);
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
