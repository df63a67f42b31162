/**
 * The Environment tab: the command as it was run, and of each replica every variable and path as the script saw it.
 */

import { copyButton, heading, table, textBlock } from '../parts/blocks.js';
import { choice, type Option, searchBox, withLabel } from '../parts/controls.js';
import { element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { block, plain } from '../text/sanitize.js';
import type { Context, EnvironmentAnswer, Pane, Status } from '../tokens.js';

type Replica = EnvironmentAnswer['replicas'][number];

export function environmentPane(context: Context): Pane {
  const loading = new Loading(context.say);
  let drawnFor: Status | null = null;

  function load(): void {
    drawnFor = context.model.state.status;
    const ask = async () => (await context.source.request('environment', {})).ok;
    void loading.load(ask, answer => parts(context, answer));
  }

  return {
    element: loading.element,
    show: isShown => {
      if (isShown && drawnFor !== context.model.state.status) {
        load(); // before a job runs, less is known of where it does
      }
    },
    update: push => {
      if (push.kind === 'snapshot') {
        loading.retry();
      }
    },
    dispose: () => loading.dispose()
  };
}

function parts(context: Context, { command, replicas, note }: EnvironmentAnswer): Node[] {
  const { say } = context;
  return [
    heading(say('Command'), copyButton(context, command, say('Command'))),
    textBlock(block(command), say('Command')),
    ...(note ? [quiet(plain(note, 1_000))] : []),
    ...(replicas.length ? [new Replicas(context, replicas).element] : [])
  ];
}

/** The variables and paths of one replica at a time, narrowed by a filter. */
class Replicas {
  readonly element = element('div');
  readonly #context: Context;
  readonly #replicas: Replica[];
  readonly #body = element('div');
  readonly #filter: HTMLInputElement;
  readonly #choice: HTMLSelectElement;

  constructor(context: Context, replicas: Replica[]) {
    this.#context = context;
    this.#replicas = replicas;
    const { say } = context;
    const draw = (): void => this.#draw();
    this.#filter = withLabel(searchBox(say('Filter'), draw), say('Filter variables and paths'));
    const names = replicas.map(({ name }, at): Option => [String(at), plain(name, 60)]);
    this.#choice = choice(say('Replica'), names, draw);
    this.#choice.hidden = replicas.length < 2;
    this.element.append(heading(say('As the script sees it'), this.#choice, this.#filter), this.#body);
    this.#draw();
  }

  #draw(): void {
    const { say } = this.#context;
    const replica = this.#replicas[Number(this.#choice.value) || 0];
    if (replica) {
      this.#body.replaceChildren(
        this.#pairs(say('Variables'), [say('Variable'), say('Value')], replica.variables),
        this.#pairs(say('Paths'), [say('Path'), say('Contents')], replica.paths)
      );
    }
  }

  #pairs(label: string, headings: string[], pairs: [string, string][]): HTMLElement {
    const wanted = this.#filter.value.toLowerCase();
    const shown = pairs.filter(pair => pair.some(text => text.toLowerCase().includes(wanted)));
    if (!shown.length) {
      const text = pairs.length ? this.#context.say('No matches') : this.#context.say('None');
      return quiet(`${label}: ${text}`);
    }
    const rows = shown.map(([name, value]) => [plain(name, 1_000), plain(value, 10_000)]);
    return table(label, headings, rows);
  }
}
