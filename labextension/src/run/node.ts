/**
 * A step in the picture: a button at its place, of lines as `pai_jupyter/runs/picture.py` has given it room.
 *
 *   ✓ train-step-1
 *   xgb-train · 2 tries          2m03s     (beside the shorter of the two)
 *   ✗ accuracy = 0.93 <= 0.9
 *   3/5 ✓ · 1 ●                          of a pipeline or a loop
 *
 * Rule: `draw` writes only what has changed, so that a push costs what is new in it.
 */

import { element, setText } from '../parts/dom.js';
import { countsText, lookGlyph } from './status.js';
import type { PictureNode, RunContext, RunStep } from './tokens.js';
import { conditionSign, conditionText, originText, stepName, stepSentence, stepTime, stepTitle } from './words.js';

export class StepNode {
  readonly element = element('button', { type: 'button', class: 'pj-Run-node', tabindex: -1 });
  readonly #context: RunContext;
  readonly #glyph = element('span', { class: 'pj-Run-glyph' });
  readonly #name = element('span', { class: 'pj-Run-name' });
  readonly #title = element('span', { class: 'pj-Run-about' });
  readonly #time = element('span', { class: 'pj-Run-time' });
  readonly #chip = element('span', { class: 'pj-Run-chip' });
  readonly #counts = element('span', { class: 'pj-Run-counts' });
  #step: RunStep | null = null;

  constructor(context: RunContext, path: string) {
    this.#context = context;
    this.element.append(this.#glyph, this.#name, this.#title, this.#time, this.#chip, this.#counts);
    [...this.element.children].forEach(part => part.setAttribute('aria-hidden', 'true')); // the label says it
    this.element.dataset['path'] = path;
  }

  place({ x, y, w, h }: PictureNode): void {
    const style = `left:${number(x)}px;top:${number(y)}px;width:${number(w)}px;height:${number(h)}px`;
    if (this.element.getAttribute('style') !== style) {
      this.element.setAttribute('style', style);
    }
  }

  draw(step: RunStep): void {
    if (step !== this.#step) {
      this.#step = step;
      const { status, kind, counts, condition } = step;
      setData(this.element, 'status', status);
      setData(this.element, 'kind', kind);
      setText(this.#glyph, lookGlyph(status));
      setText(this.#name, stepName(step));
      const about = [stepTitle(step), originText(step, this.#context.say)].filter(Boolean).join(' · ');
      setText(this.#title, about);
      setData(this.element, 'time', about.length > stepName(step).length ? 'first' : 'second'); // the shorter line
      this.#chip.hidden = condition === undefined;
      setData(this.#chip, 'met', String(condition?.is_met ?? ''));
      setText(this.#chip, condition ? `${conditionSign(condition)} ${conditionText(condition)}` : '');
      this.#counts.hidden = kind === 'job';
      setText(this.#counts, kind === 'job' ? '' : countsText(counts));
      this.#label(stepSentence(step, this.#context.say));
    }
    this.tick();
  }

  /** Time has passed. */
  tick(): void {
    if (this.#step) {
      setText(this.#time, stepTime(this.#step, this.#context.now()));
    }
  }

  #label(text: string): void {
    if (this.element.title !== text) {
      this.element.setAttribute('aria-label', text);
      this.element.title = text;
    }
  }
}

function setData(node: HTMLElement, name: string, value: string): void {
  if (node.dataset[name] !== value) {
    node.dataset[name] = value;
  }
}

/** What a server sends is a number, or nothing is drawn there. */
function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
