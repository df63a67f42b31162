/**
 * The section of backends: where jobs can run, whether each is ready, and with which settings; and the clusters, where
 * one of them has any.
 *
 * Rule: whether a remote backend is ready costs a request to its service, so it is asked only by its Check button. Of
 *   an emulator, which is on the server's own machine, the server says whether it is there.
 */

import type { ClusterList } from '../cluster/section.js';
import { button, element, quiet, setText } from '../parts/dom.js';
import { errorText, Loading } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import { type Card, Cards } from './cards.js';
import { LateSection } from './late.js';
import type { BackendRow, BackendsAnswer } from './protocol.js';
import type { PanelContext, SectionContext, Section } from './section.js';

const PATH = 'backends';

type BackendsContext = SectionContext & Pick<PanelContext, 'language' | 'openForm'>;

export function backendsSection(context: BackendsContext): Section {
  return new BackendsSection(context);
}

class BackendsSection implements Section {
  readonly element = element('div', { class: 'pj-Backends' });
  readonly #context: SectionContext;
  readonly #cards: Cards<BackendRow>;
  readonly #loading: Loading;
  readonly #clusters: LateSection<ClusterList>;
  #isShown = false;

  constructor(context: BackendsContext) {
    this.#context = context;
    this.#clusters = new LateSection(context, async () => {
      const { ClusterList } = await import('../cluster/section.js');
      return new ClusterList({ ...context, changed: () => this.#isShown && this.#ask() });
    });
    this.#cards = new Cards(
      context.say('Backends'),
      ({ name }) => name,
      () => new BackendCard(context)
    );
    this.#loading = new Loading(context.say);
    const refresh = button(context.say('Refresh'), 'small', () => this.#ask());
    refresh.classList.add('pj-JobView-last');
    const tools = element('div', { class: 'pj-JobView-tools' }, refresh);
    this.element.append(tools, this.#cards.element, this.#clusters.element, this.#loading.element);
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    if (isShown) {
      this.#ask();
    } else {
      this.#clusters.show(false);
    }
  }

  dispose(): void {
    this.#loading.dispose();
    this.#clusters.dispose();
  }

  #ask(): void {
    void this.#loading.load(
      () => this.#context.rest.get<BackendsAnswer>(PATH),
      answer => this.#draw(answer)
    );
  }

  #draw({ backends, profile, settings }: BackendsAnswer): Node[] {
    const { say } = this.#context;
    this.#cards.draw(backends);
    this.#clusters.show(this.#isShown && backends.some(({ takes_job_files }) => takes_job_files));
    const rows = settings.flatMap(({ name, value, origin }) => [
      element('dt', { title: plain(name, 60) }, say(plain(name, 60))), // its own name is what %pai_config takes
      element('dd', {}, `${plain(value, 300) || '–'} `, origin && element('span', {}, `(${plain(origin, 200)})`))
    ]);
    const used = profile ? say('Profile {name}', { name: plain(profile, 60) }) : say('No profile selected');
    return [quiet(used), element('dl', { class: 'pj-Backends-settings' }, ...rows)];
  }
}

class BackendCard implements Card<BackendRow> {
  readonly element: HTMLElement;
  readonly #context: SectionContext;
  readonly #title = element('strong');
  readonly #state = element('span', { class: 'pj-Cards-health' });
  readonly #note = element('div', { class: 'pj-JobView-quiet' });
  readonly #check: HTMLButtonElement;
  #name = '';

  constructor(context: SectionContext) {
    this.#context = context;
    this.#check = button(context.say('Check'), 'small', () => void this.#ask());
    const head = element('div', { class: 'pj-Cards-head' }, this.#title, this.#state, this.#check);
    this.element = element('li', { class: 'pj-Cards-card' }, head, this.#note);
  }

  /** One that is being checked is left alone: it will know more. */
  draw(backend: BackendRow): void {
    const { say } = this.#context;
    const name = plain(backend.name, 60);
    this.#name = backend.name;
    this.#title.title = plain(backend.title, 60);
    setText(this.#title, backend.is_emulator ? `${name} (${say('emulator')})` : name);
    this.#check.setAttribute('aria-label', `${say('Check')}: ${name}`);
    if (!this.#check.hasAttribute('aria-disabled')) {
      // what is known without asking needs none; an emulator that answers may still lack something
      this.#check.hidden = backend.is_ready !== null && !backend.is_emulator;
      this.#tell(backend);
    }
  }

  #tell({ is_ready, note }: Pick<BackendRow, 'is_ready' | 'note'>): void {
    const { say } = this.#context;
    const [health, text] =
      is_ready === null
        ? ['unknown', `? ${say('not checked')}`]
        : is_ready
          ? ['ready', `✓ ${say('ready')}`]
          : ['missing', `✗ ${say('not ready')}`];
    this.#state.dataset['health'] = health;
    setText(this.#state, text);
    setText(this.#note, plain(note, 1_000));
  }

  async #ask(): Promise<void> {
    const { say, rest } = this.#context;
    if (this.#check.hasAttribute('aria-disabled')) {
      return; // it is being asked; a button that were really disabled would lose the focus
    }
    this.#check.setAttribute('aria-disabled', 'true');
    setText(this.#state, say('Checking…'));
    try {
      const { backends } = await rest.get<BackendsAnswer>(PATH, { check: this.#name });
      const mine = backends.find(({ name }) => name === this.#name);
      this.#tell(mine ?? { is_ready: null, note: '' });
    } catch (error) {
      this.#tell({ is_ready: null, note: errorText(error) });
    }
    this.#check.removeAttribute('aria-disabled');
    const { announce } = this.#context;
    const [state, cause] = [this.#state.textContent ?? '', this.#note.textContent ?? ''];
    announce(say(cause ? '{job}: {state}. {cause}' : '{job}: {state}', { job: this.#name, state, cause }));
  }
}
