/**
 * What the job is called, where it runs and on what: the fields that no script declares. Left empty they are not said.
 *
 * Rule: a list that costs a request to a service is asked for when its field gets the focus, once.
 */

import type {
  BackendRow,
  BackendsAnswer,
  ImageRow,
  ImagesAnswer,
  InstanceRow,
  InstancesAnswer
} from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { setOptions, type Option } from '../parts/controls.js';
import { element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { formatNumber } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { choiceControl, countControl, Field, textControl } from './fields.js';
import type { Part, Setting } from './magicline.js';
import { RoleFields } from './roles.js';
import { hasBreak } from './shlex.js';

const LOCAL: readonly Option[] = [
  ['local', ''],
  ['local_gpu', '']
];
const MOST_INSTANCES = 10_000; // as pai_jupyter/spec.py has it
const MOST = 1_000; // suggestions that a browser shows without delay

export class TargetFields {
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #rest: Pick<Rest, 'get'>;
  readonly #fields: Readonly<Record<string, Field>>;
  readonly #roles: RoleFields | null;
  readonly #told = new Map<string, string>();
  #toldOf = ''; // the fields that it was told of
  #backends: readonly BackendRow[] = [];

  /** `leftOut` are options that this form has no field for. */
  constructor(say: Say, rest: Pick<Rest, 'get'>, parts: readonly Part[], leftOut: readonly string[] = []) {
    this.#say = say;
    this.#rest = rest;
    const text = (option: string): string => parts.filter(part => part.option === option).at(-1)?.value ?? '';
    const backends: Option[] = [['', say('Auto')], ...named([text('backend')].filter(Boolean))];
    const fields: Readonly<Record<string, Field>> = {
      '': new Field(say('Name'), textControl(text('')), say('Leave blank to generate')),
      backend: new Field(say('Backend'), choiceControl(backends, text('backend'))),
      image: new Field(say('Image'), textControl(text('image'))),
      'instance-type': new Field(say('Instance type'), textControl(text('instance-type'))),
      'instance-count': new Field(say('Instance count'), countControl(text('instance-count')))
    };
    this.#fields = Object.fromEntries(Object.entries(fields).filter(([option]) => !leftOut.includes(option)));
    this.#roles = leftOut.includes('role') ? null : new RoleFields(say, parts, listOf(this.#fields['instance-type']));
    const own = Object.values(this.#fields).map(field => field.element);
    this.element = element('div', {}, ...own, ...(this.#roles?.elements ?? []));
    this.#suggest(
      'image',
      () => [],
      () => this.#images()
    );
    const showMachines = this.#suggest(
      'instance-type',
      () => this.#machines(),
      () => this.#instances()
    );
    this.#fields['backend']?.control.element.addEventListener('change', () => this.#explainBackend());
    void this.#loadBackends().then(showMachines);
  }

  get settings(): Setting[] {
    const areRoles = this.#areRoles;
    return Object.entries(this.#fields)
      .map(([option, field]) => ({ option, value: field.text.trim() }))
      .filter(({ option, value }) => value !== '' && !(option === 'instance-count' && (value === '1' || areRoles)))
      .concat(this.#roles?.settings ?? []);
  }

  /** Show what the server says of an option until one of them changes; whether there is a field for it. */
  tell(option: string, sentence: string): boolean {
    if (!(option in this.#fields)) {
      return false;
    }
    this.#toldOf = JSON.stringify(this.settings);
    this.#told.set(option, sentence);
    return true;
  }

  /** Take back what the server said. */
  forget(): void {
    this.#told.clear();
  }

  /** Say what is wrong beside the fields; whether something is, as far as is known here. */
  check(): boolean {
    this.#showCount(!this.#areRoles);
    if (this.#told.size && this.#toldOf !== JSON.stringify(this.settings)) {
      this.#told.clear();
    }
    const complaints = Object.entries(this.#fields).map(([option, field]) => {
      const complaint = this.#complaint(option, field.isUnreadable ? '?' : field.text.trim());
      field.show(complaint || (this.#told.get(option) ?? ''));
      return complaint;
    });
    return Boolean(this.#roles?.check()) || complaints.some(Boolean);
  }

  get #areRoles(): boolean {
    return this.#roles?.areGiven ?? false;
  }

  /** Roles say themselves how many instances there are. */
  #showCount(isShown: boolean): void {
    const field = this.#fields['instance-count'];
    if (field) {
      field.element.hidden = !isShown;
    }
  }

  #complaint(option: string, text: string): string {
    if (hasBreak(text)) {
      return this.#say('Line breaks are not allowed.');
    }
    if (option === '' && text.startsWith('-')) {
      return this.#say('A name cannot begin with "-".');
    }
    const isNumber = /^[1-9]\d*$/.test(text) && Number(text) <= MOST_INSTANCES;
    return option !== 'instance-count' || this.#areRoles || text === '' || isNumber
      ? ''
      : this.#say('This must be a whole number between 1 and {maximum}.', { maximum: formatNumber(MOST_INSTANCES) });
  }

  /** Offer these beside what is typed, on focus also what `ask` brings. Returns what offers them anew. */
  #suggest(option: string, known: () => readonly Option[], ask: () => Promise<Option[]>): () => void {
    let asked: readonly Option[] = [];
    const field = this.#fields[option];
    const control = field?.control.element;
    const list = element('datalist', { id: listOf(field) });
    const show = (): void => {
      const options = [...known(), ...asked].slice(0, MOST);
      list.replaceChildren(...options.map(([value, label]) => element('option', { value, label })));
    };
    show();
    control?.setAttribute('list', list.id);
    control?.after(list);
    const load = (): void => {
      const take = (options: Option[]): void => {
        asked = options;
        show();
      };
      ask().then(take, (error: unknown) => field?.explain(errorText(error)));
    };
    control?.addEventListener('focus', load, { once: true });
    return show;
  }

  /** This machine's, and those that backends name without being asked. */
  #machines(): Option[] {
    const named = this.#backends.flatMap(({ title, instances }) =>
      (instances ?? []).map((name): Option => [plain(name, 60), plain(title, 60)])
    );
    return [...LOCAL, ...named];
  }

  async #images(): Promise<Option[]> {
    const { images } = await this.#rest.get<ImagesAnswer>('images');
    const label = ({ framework, python, cuda }: ImageRow): string =>
      listed([framework, python && `Python ${python}`, cuda && `CUDA ${cuda}`]);
    return images.map(image => [plain(image.short_name), label(image)]);
  }

  async #instances(): Promise<Option[]> {
    const { instances } = await this.#rest.get<InstancesAnswer>('instances');
    const label = ({ cpu, memory, gpu }: InstanceRow): string =>
      listed([`${cpu} CPU`, `${formatNumber(memory)} GB`, gpu]);
    return instances.filter(({ is_available }) => is_available).map(type => [plain(type.name), label(type)]);
  }

  async #loadBackends(): Promise<void> {
    const field = this.#fields['backend'];
    const select = field?.control.element;
    try {
      this.#backends = (await this.#rest.get<BackendsAnswer>('backends')).backends;
    } catch (error) {
      field?.explain(errorText(error));
    }
    if (select instanceof HTMLSelectElement) {
      const names = new Set([...this.#backends.map(({ name }) => name), select.value].filter(Boolean));
      setOptions(select, [['', this.#say('Auto')], ...named([...names])]);
      this.#explainBackend();
    }
  }

  /** What is missing where the job is to run. */
  #explainBackend(): void {
    const field = this.#fields['backend'];
    const chosen = this.#backends.find(({ name }) => name === field?.text);
    if (this.#backends.length) {
      field?.explain(chosen?.is_ready === false ? plain(chosen.note, 500) : '');
    }
  }
}

/** The id of the list of what a field suggests. */
function listOf(field: Field | undefined): string {
  return `${field?.control.element.id}-list`;
}

function listed(texts: readonly string[]): string {
  return texts
    .map(text => plain(text, 60))
    .filter(Boolean)
    .join(', ');
}

function named(names: readonly string[]): Option[] {
  return names.map(name => [name, plain(name, 60)]);
}
