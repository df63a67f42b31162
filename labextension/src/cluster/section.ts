/**
 * The clusters of this user, in the section of backends: add, choose, check, log in, delete. Loaded where a backend has
 * any.
 *
 * Rule: what a magic changes appears by itself; the server looks into a file for that. A cluster itself is asked only
 *   by its Check button, and when its password was given here.
 */

import { type Card, Cards } from '../panel/cards.js';
import type { FormChoice, OpenForm } from '../panel/openform.js';
import type { ClusterReportAnswer, ClusterRow, ClustersAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { WatchedSection } from '../panel/watchedsection.js';
import { setPressed, withTooltip } from '../parts/controls.js';
import { button, element, quiet, setText } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { Outcome } from '../parts/outcome.js';
import { Question } from '../parts/question.js';
import { plain } from '../text/sanitize.js';
import type { Language } from '../text/translation.js';
import type { Say } from '../tokens.js';
import { ClusterEditor, leaving, SAVE } from './editor.js';
import { clusterTitle } from './fields.js';
import { clusterSay } from './translation.js';

const PATH = 'clusters';
const LONGEST = 1_000; // characters of a sentence
const PAUSE = 5_000; // milliseconds between two looks

export interface ClustersContext {
  readonly language: Language;
  readonly rest: Pick<Rest, 'get' | 'post' | 'remove'>;
  /** Absent where the host cannot: clusters are added by the magic then. */
  readonly openForm?: OpenForm | undefined;
  /** Hears when the clusters are others than they were. */
  readonly changed?: () => void;
}

export class ClusterList extends WatchedSection {
  readonly element: HTMLElement;
  readonly #context: ClustersContext;
  readonly #say: Say;
  readonly #cards: Cards<DrawnRow, ClusterCard>;
  readonly #question = new Question();
  readonly #outcome = new Outcome();
  readonly #add: HTMLButtonElement;
  #rows: readonly ClusterRow[] | null = null; // before the first answer

  constructor(context: ClustersContext) {
    const say = clusterSay(context.language);
    super(say, PATH, PAUSE);
    this.#say = say;
    this.#context = context;
    const actions: CardActions = {
      use: ({ name }) => void this.#do(() => context.rest.post<ClustersAnswer>(`${PATH}/use`, { name })),
      check: ({ name }) => context.rest.get<ClusterReportAnswer>(`${PATH}/check`, { name }),
      logIn: row => void this.#edit(say('Log in'), row),
      remove: row => void this.#remove(row),
      hasForms: context.openForm !== undefined
    };
    this.#cards = new Cards(
      say('Clusters'),
      ({ name }) => name,
      () => new ClusterCard(say, actions)
    );
    this.#add = button(say('Add Cluster…'), 'small', () => void this.#edit(say('Add a cluster'), null));
    this.#add.hidden = !actions.hasForms;
    this.element = element(
      'section',
      { class: 'pj-Clusters', 'aria-label': say('Clusters') },
      element('div', { class: 'pj-JobView-tools' }, element('h3', {}, say('Clusters')), this.#add),
      this.#question.element,
      this.#outcome.element,
      this.#cards.element,
      this.loading.element
    );
  }

  override dispose(): void {
    super.dispose();
    this.#question.dispose();
  }

  protected ask(): void {
    void this.loading.load(
      () => this.#context.rest.get<ClustersAnswer>(PATH),
      ({ clusters }) => this.#draw(clusters)
    );
  }

  protected async look(): Promise<void> {
    const { turn } = this.loading;
    const { clusters } = await this.#context.rest.get<ClustersAnswer>(PATH);
    if (turn === this.loading.turn && JSON.stringify(clusters) !== JSON.stringify(this.#rows)) {
      void this.#show(clusters);
    }
  }

  #draw(clusters: readonly ClusterRow[]): Node[] {
    const hadFocus = this.#cards.element.contains(document.activeElement);
    const isOther = this.#rows !== null && JSON.stringify(clusters) !== JSON.stringify(this.#rows);
    this.#rows = clusters;
    this.#cards.draw(clusters.map((row, at) => ({ ...row, isChosen: at === 0 })));
    if (hadFocus && !this.element.contains(document.activeElement)) {
      this.#add.focus(); // the last card is gone
    }
    if (isOther) {
      this.#context.changed?.();
    }
    return clusters.length ? [] : [quiet(this.#say('No cluster yet.'))];
  }

  #show(clusters: readonly ClusterRow[]): Promise<void> {
    return this.loading.load(
      () => Promise.resolve(clusters),
      rows => this.#draw(rows)
    );
  }

  async #edit(title: string, row: ClusterRow | null): Promise<void> {
    const say = this.#say;
    this.#outcome.tell('');
    const choices: FormChoice[] = [[row ? say('Log in') : say('Add'), SAVE]];
    const editor = new ClusterEditor(say, this.#context.rest, row);
    const clusters = await this.#context.openForm?.(title, editor, say('Cancel'), choices, leaving(say));
    if (clusters) {
      await this.#show(clusters);
      void this.#cards.card(row?.name ?? clusters[0]?.name ?? '')?.check(); // a new one is the first
    }
  }

  async #remove(row: ClusterRow): Promise<void> {
    const say = this.#say;
    const text = say('Delete {cluster} and its password here? Its jobs go on, and are no longer followed.', {
      cluster: clusterTitle(row)
    });
    const isSure = await this.#question.ask(text, [
      [say('Delete'), true, 'danger'],
      [say('Keep'), false]
    ]);
    if (isSure) {
      await this.#do(() => this.#context.rest.remove<ClustersAnswer>(PATH, { name: row.name }));
    }
  }

  async #do(act: () => Promise<ClustersAnswer>): Promise<void> {
    this.#outcome.tell('');
    await this.#outcome.report(async () => void this.#show((await act()).clusters));
  }
}

/** A cluster, and whether it is the one that is meant where none is named. */
type DrawnRow = ClusterRow & { readonly isChosen: boolean };

interface CardActions {
  use(row: ClusterRow): void;
  check(row: ClusterRow): Promise<ClusterReportAnswer>;
  logIn(row: ClusterRow): void;
  remove(row: ClusterRow): void;
  readonly hasForms: boolean;
}

class ClusterCard implements Card<DrawnRow> {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #name = element('strong');
  readonly #password = element('span', { class: 'pj-Cards-health' });
  readonly #place = element('div', { class: 'pj-JobView-quiet' });
  readonly #report = element('div', { role: 'status' });
  readonly #ask: CardActions['check'];
  readonly #use: HTMLButtonElement;
  readonly #check: HTMLButtonElement;
  readonly #buttons: readonly HTMLButtonElement[];
  #row: ClusterRow | null = null;
  #asked = 0;
  #isDoubtful = false; // it is being asked, or something was found to be wrong

  constructor(say: Say, { use, check, logIn, remove, hasForms }: CardActions) {
    this.#say = say;
    this.#ask = check;
    const made = (label: string, act: (row: ClusterRow) => void): HTMLButtonElement =>
      button(label, 'small', () => this.#row && act(this.#row));
    const login = made(say('Log In…'), logIn);
    login.hidden = !hasForms;
    this.#use = withTooltip(made(say('Use'), use), say('Submit to this cluster where none is named'));
    this.#check = withTooltip(
      made(say('Check'), () => this.#check.hasAttribute('aria-disabled') || void this.check()),
      say('Ask the cluster whether it answers and takes the password')
    );
    this.#buttons = [this.#use, this.#check, login, made(say('Delete'), remove)];
    this.element = element(
      'li',
      { class: 'pj-Cards-card' },
      element('div', { class: 'pj-Cards-head' }, this.#name, this.#password),
      this.#place,
      element('div', { class: 'pj-JobView-formControl' }, ...this.#buttons),
      this.#report
    );
  }

  draw(row: DrawnRow): void {
    if (this.#row && whose(this.#row) !== whose(row)) {
      this.#report.replaceChildren(); // it was about another one
      this.#isDoubtful = false;
    }
    this.#row = row;
    const name = plain(row.name, 100);
    setText(this.#name, name);
    this.#drawPassword(row);
    setPressed(this.#use, row.isChosen);
    setText(this.#place, `${plain(row.user, 100)} · ${plain(row.address, 200)}`);
    this.#buttons.forEach(one => one.setAttribute('aria-label', `${one.textContent ?? ''}: ${name}`));
  }

  /** Ask it, and say what it answers; what is found out before something is wrong, too. The newest question counts. */
  async check(): Promise<void> {
    const row = this.#row;
    if (!row) {
      return;
    }
    const mine = ++this.#asked;
    this.#check.setAttribute('aria-disabled', 'true'); // one that were really disabled would lose the focus
    this.#report.replaceChildren(quiet(this.#say('Checking…')));
    this.#doubt(true);
    const { facts, problem } = await this.#ask(row).catch((error: unknown) => ({
      facts: [],
      problem: errorText(error)
    }));
    if (mine !== this.#asked) {
      return;
    }
    this.#check.removeAttribute('aria-disabled');
    const good = facts.map(text => plain(text, LONGEST)).join(' · ');
    const isMeant = whose(this.#row) === whose(row);
    this.#report.replaceChildren(
      ...(isMeant && good ? [quiet(`✓ ${good}`)] : []),
      ...(isMeant && problem ? [element('p', { class: 'pj-JobView-trouble' }, `✗ ${plain(problem, LONGEST)}`)] : [])
    );
    this.#doubt(isMeant && problem !== '');
  }

  #doubt(isDoubtful: boolean): void {
    this.#isDoubtful = isDoubtful;
    if (this.#row) {
      this.#drawPassword(this.#row);
    }
  }

  /** That there is a password is good news only as long as nothing is known to be wrong. */
  #drawPassword({ password_in }: ClusterRow): void {
    const say = this.#say;
    const texts = {
      '': say('no password'),
      memory: say('password in memory, until the server ends'),
      file: say('password in your file')
    };
    const health = !password_in ? 'missing' : this.#isDoubtful ? 'unknown' : 'ready';
    const sign = { missing: '✗', unknown: '?', ready: '✓' }[health];
    setText(this.#password, `${sign} ${texts[password_in]}`);
    this.#password.dataset['health'] = health;
  }
}

/** What the report of a cluster is about. */
function whose(row: ClusterRow | null): string {
  return JSON.stringify([row?.address, row?.user, row?.password_in]);
}
