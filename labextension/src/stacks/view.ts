/**
 * What the processes of a running job do: their stacks as in tracebacks, or a recording of some seconds as a flame
 * graph with a table of the same numbers.
 *
 * Rule 1: a recording is asked for until it is done; the other end ends one that nobody asks for.
 * Rule 2: an answer that comes after a newer question, or after `dispose`, is dropped.
 */

import { fillTable, table } from '../parts/blocks.js';
import { isPressed, toggle } from '../parts/controls.js';
import { button, type Child, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Context, ProcessStacks, ProfileAnswer, StacksPart, ThreadStack } from '../tokens.js';
import { framePlace, hotLines, readFlame } from './flame.js';
import { FlameGraph } from './graph.js';
import { stacksSay } from './translation.js';

const SECONDS = 10;
const PAUSE = 500; // milliseconds between two questions
const MOST_ROWS = 50; // of the table
const LEFT_OUT_AT = 10; // `frames.OUTERMOST`

export class StacksView implements StacksPart {
  readonly element = element('div', { class: 'pj-JobView-stacks' });
  readonly #context: Context;
  #turn = 0;
  #graph: FlameGraph | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRecording = false;

  constructor(context: Context) {
    this.#context = { ...context, say: stacksSay(context.host.language) };
  }

  dispose(): void {
    this.#begin();
    this.element.remove();
  }

  /** Show the stacks as they are now. */
  async dump(): Promise<void> {
    const turn = this.#begin();
    this.#show(quiet(this.#context.say('Reading the stacks…')));
    try {
      const { ok } = await this.#context.source.request('stacks', {});
      if (turn === this.#turn) {
        this.#show(...ok.processes.map(each => this.#process(each)));
      }
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  /** Record ten seconds, and draw them. */
  async record(): Promise<void> {
    const turn = this.#begin();
    this.#isRecording = true;
    await this.#ask(turn, 'start');
  }

  async #ask(turn: number, action: 'start' | 'show'): Promise<void> {
    try {
      const asked = action === 'start' ? { action, seconds: SECONDS } : { action };
      const { ok } = await this.#context.source.request('profile', asked);
      if (turn === this.#turn) {
        this.#answer(turn, ok);
      }
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  #answer(turn: number, answer: ProfileAnswer): void {
    const { say } = this.#context;
    if (answer.state === 'running') {
      this.#progress(answer);
      this.#timer = setTimeout(() => void this.#ask(turn, 'show'), PAUSE);
      return;
    }
    this.#isRecording = false;
    if (answer.state === 'none') {
      this.#show(quiet(say('The recording was ended. Record again.')));
    } else if (answer.samples === 0) {
      this.#show(...notes(answer), quiet(say('No thread was active: all waited, or slept. Their stacks say where.')));
    } else {
      this.#drawFlame(answer);
    }
  }

  #progress({ elapsed, seconds }: ProfileAnswer): void {
    const { say } = this.#context;
    const text = say('Recording: {elapsed} of {seconds} s', { elapsed: Math.floor(elapsed), seconds });
    const bar = this.element.querySelector('progress');
    if (bar) {
      bar.value = elapsed;
      setText(bar.nextElementSibling ?? bar, text);
      return;
    }
    this.#show(
      element('progress', { max: seconds, value: elapsed, 'aria-label': say('Recording') }),
      element('span', {}, text),
      button(say('Stop recording'), 'small', () => this.#cancel())
    );
  }

  #cancel(): void {
    this.#begin();
    this.#show(quiet(this.#context.say('The recording was ended. Record again.')));
  }

  #drawFlame(answer: ProfileAnswer): void {
    const { say, announce } = this.#context;
    const root = readFlame(answer, say);
    const graph = (this.#graph = new FlameGraph(root, say));
    const numbers = table(say('Hottest lines'), [say('Line'), say('Itself'), say('With calls')], [], [1, 2]);
    const part = (samples: number): string => `${((100 * samples) / root.samples).toFixed(1)} %`;
    fillTable(
      numbers,
      hotLines(root)
        .slice(0, MOST_ROWS)
        .map(line => [line.name, part(line.own), part(line.total)]),
      [1, 2]
    );
    const asTable = toggle(say('Table'), () => {
      numbers.hidden = !isPressed(asTable);
      graph.element.hidden = isPressed(asTable);
    });
    numbers.hidden = true;
    const count = say('{count} samples in {seconds} s', { count: root.samples, seconds: answer.seconds });
    const head = element('div', { class: 'pj-JobView-tools' }, element('span', {}, count), asTable);
    this.#show(...notes(answer), head, graph.element, numbers);
    announce(count);
  }

  #process({ replica, pid, threads, left_out, trouble }: ProcessStacks): HTMLElement {
    const { say, model } = this.#context;
    const of = (model.job?.replicas.length ?? 0) > 1 ? `${plain(replica, 100)} · ` : '';
    return element(
      'details',
      { open: true },
      element('summary', {}, of + say('process {pid}', { pid })),
      trouble ? quiet(plain(trouble, 1_000)) : null,
      ...threads.map(each => this.#thread(each)),
      left_out ? quiet(say('{n} more threads', { n: left_out })) : null
    );
  }

  #thread({ name, is_idle, has_gil, frames, left_out }: ThreadStack): HTMLElement {
    const { say } = this.#context;
    const states = [say(is_idle ? 'idle' : 'active'), ...(has_gil ? [say('holds the GIL')] : [])].join(', ');
    const title = [say('thread'), plain(name, 100), `(${states})`].filter(Boolean).join(' ');
    const block = element('pre', { class: 'pj-JobView-block', tabindex: 0, role: 'group', 'aria-label': title });
    frames.forEach((frame, at) => {
      if (at === LEFT_OUT_AT && left_out) {
        block.append(`${say('{n} frames are left out', { n: left_out })}\n`);
      }
      const place = framePlace(frame, say);
      const isOfCell = frame.is_own && frame.file === '' && frame.cell === null;
      const shown: Child = isOfCell ? button(place, 'link', () => this.#context.openLine(frame.line)) : place;
      block.append(shown, ` ${plain(frame.function, 200)}\n`);
    });
    const label = element('h4', { class: is_idle ? 'pj-JobView-quiet' : null }, title);
    return element('div', {}, label, block);
  }

  #begin(): number {
    clearTimeout(this.#timer);
    this.#graph?.dispose();
    this.#graph = null;
    if (this.#isRecording) {
      this.#isRecording = false;
      this.#context.source.request('profile', { action: 'stop' }).catch(() => undefined); // it ends unasked, too
    }
    return ++this.#turn;
  }

  #fail(turn: number, error: unknown): void {
    if (turn === this.#turn) {
      this.#isRecording = false;
      const properties = { class: 'pj-JobView-trouble', role: 'alert' };
      this.#show(element('p', properties, errorText(error)));
    }
  }

  #show(...what: Node[]): void {
    this.element.replaceChildren(...what);
  }
}

function notes({ notes: sentences }: ProfileAnswer): HTMLElement[] {
  return sentences.map(note => quiet(plain(note, 1_000)));
}
