/**
 * The steps of a run, as a graph or as a table; the way to the level that the graph shows.
 *
 *   run / nested / loop[2]                       [Graph] [Table]  [−] [+] [All]
 *
 * Rule 1: only one of the two is drawn; the other is drawn whole when it is chosen.
 * Rule 2: a run of more than 60 steps, or one without a picture, begins as a table, until somebody chooses.
 */

import { Breadcrumb } from '../parts/breadcrumb.js';
import { setPressed, withLabel } from '../parts/controls.js';
import { button, element, setText } from '../parts/dom.js';
import { Graph } from './graph.js';
import type { RunChange, RunModel } from './model.js';
import type { RunContext } from './tokens.js';
import { StepTree } from './tree.js';
import { stepName } from './words.js';

const MOST_DRAWN_FIRST = 60; // steps of the run's own level
const ZOOM = 1.25;

export class Stage {
  readonly element = element('div', { class: 'pj-Run-stage' });
  readonly #context: RunContext;
  readonly #model: RunModel;
  readonly #open: (levels: readonly string[]) => void;
  readonly #trail: Breadcrumb;
  readonly #zoom: HTMLElement;
  readonly #asGraph: HTMLButtonElement;
  readonly #asTable: HTMLButtonElement;
  readonly #notice = element('p', { class: 'pj-JobView-quiet' });
  readonly #graph: Graph;
  readonly #tree: StepTree;
  #level = ''; // that the graph shows
  #isTable: boolean | null = null; // null: nobody has chosen
  #shown: boolean | null = null; // whether the table is drawn

  /** `open` hears which levels are shown, beside that of the run itself. */
  constructor(context: RunContext, model: RunModel, open: (levels: readonly string[]) => void) {
    const { say } = context;
    this.#context = context;
    this.#model = model;
    this.#open = open;
    this.#graph = new Graph(context, path => model.step(path));
    this.#tree = new StepTree(context, model, () => this.#ask());
    this.#trail = new Breadcrumb(say('Levels of the run'));
    this.#asGraph = button(say('Graph'), 'small', () => this.#choose(false));
    this.#asTable = button(say('Table'), 'small', () => this.#choose(true));
    this.#zoom = element(
      'span',
      { class: 'pj-JobView-group' },
      withLabel(
        button('−', 'small', () => this.#graph.zoomBy(1 / ZOOM)),
        say('Zoom out')
      ),
      withLabel(
        button('+', 'small', () => this.#graph.zoomBy(ZOOM)),
        say('Zoom in')
      ),
      button(say('Fit'), 'small', () => this.#graph.fit())
    );
    const kinds = element('span', { class: 'pj-JobView-group pj-JobView-last' }, this.#asGraph, this.#asTable);
    const tools = element('div', { class: 'pj-JobView-tools' }, this.#trail.element, kinds, this.#zoom);
    this.element.append(tools, this.#notice, this.#graph.element, this.#tree.element);
  }

  /** Something of the model has changed. */
  update({ steps, levels, isAll }: RunChange): void {
    const isTable = this.#wantsTable();
    if (isAll || isTable !== this.#shown) {
      this.#draw(isTable);
    } else if (isTable) {
      this.#tree.update(steps);
      if (levels.size) {
        this.#tree.draw();
      }
    } else if (levels.has(this.#level)) {
      this.#drawLevel();
    } else {
      this.#graph.update(steps);
    }
  }

  /** Time has passed. */
  tick(): void {
    if (this.#shown) {
      this.#tree.tick();
    } else {
      this.#graph.tick();
    }
  }

  /** Show this level; the focus goes to its first step. */
  go(level: string): void {
    this.#level = level;
    this.#ask();
    this.#choose(false);
    this.#graph.focus();
  }

  dispose(): void {
    this.#graph.dispose();
    this.#tree.dispose();
  }

  #wantsTable(): boolean {
    const isLarge = this.#model.within('').length > MOST_DRAWN_FIRST || !this.#model.picture('');
    return this.#isTable ?? isLarge;
  }

  #choose(isTable: boolean): void {
    this.#isTable = isTable;
    this.#draw(isTable);
  }

  #draw(isTable: boolean): void {
    this.#shown = isTable;
    setPressed(this.#asGraph, !isTable);
    setPressed(this.#asTable, isTable);
    this.#tree.element.hidden = !isTable;
    this.#graph.element.hidden = this.#zoom.hidden = this.#trail.element.hidden = isTable;
    this.#notice.hidden = true;
    if (isTable) {
      this.#tree.draw();
    } else {
      this.#drawLevel();
    }
  }

  #drawLevel(): void {
    const { say } = this.#context;
    const picture = this.#model.picture(this.#level);
    const run = { label: this.#model.run?.name ?? '', go: () => this.go('') };
    const steps = this.#model.trail(this.#level).map(step => ({ label: stepName(step), go: () => this.go(step.path) }));
    this.#trail.draw([run, ...steps]);
    this.#trail.element.hidden = this.#level === '';
    this.#graph.element.hidden = picture === undefined;
    this.#notice.hidden = picture !== undefined;
    setText(this.#notice, say(this.#model.isWhole ? 'No graph of this level: see the table.' : 'Loading…'));
    if (picture) {
      this.#graph.draw(picture);
    }
  }

  /** Ask for the levels that are shown: those that are open in the table, and the way to that of the graph. */
  #ask(): void {
    const shown = this.#model.trail(this.#level).map(({ path }) => path);
    this.#open([...new Set([...this.#tree.levels, ...shown])].sort());
  }
}
