/**
 * What the job is called, where it runs and on what: the fields that no script declares. Left empty they are not said.
 *
 * Rule: a list that costs a request to a service is asked for when its field gets the focus, once.
 */

import type { BackendRow, BackendsAnswer, ImagesAnswer, InstancesAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { setOptions, type Option } from '../parts/controls.js';
import { element } from '../parts/dom.js';
import { errorText } from '../parts/loading.js';
import { formatNumber } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { FORM_SECTIONS } from '../wire/schema.js';
import { Combobox, type Offer } from './combobox.js';
import { choiceControl, type Control, countControl, Field, textControl } from './fields.js';
import type { Part, Setting } from './magicline.js';
import { RoleFields } from './roles.js';
import { hasBreak } from './shlex.js';

const LOCAL: readonly Offer[] = [
  { value: 'local', details: '' },
  { value: 'local_gpu', details: '' }
];
const MOST_INSTANCES = 10_000; // as pai_jupyter/spec.py has it

/** A field with a list of what there is: what is known, and on focus also what is asked for. */
interface Offering {
  readonly field: Field;
  readonly boxes: Combobox[];
  known(): readonly Offer[];
  asked: readonly Offer[];
  trouble: string;
}

export class TargetFields {
  /** The job's name, which stands alone. */
  readonly nameElement: HTMLElement;
  readonly element: HTMLElement;
  readonly #say: Say;
  readonly #rest: Pick<Rest, 'get'>;
  readonly #fields: Readonly<Record<string, Field>>;
  readonly #roles: RoleFields | null;
  readonly #offerings: readonly Offering[];
  readonly #told = new Map<string, string>();
  #toldOf = ''; // the fields that it was told of
  #backends: readonly BackendRow[] = [];

  /** `leftOut` are options that this form has no field for. */
  constructor(say: Say, rest: Pick<Rest, 'get'>, parts: readonly Part[], leftOut: readonly string[] = []) {
    this.#say = say;
    this.#rest = rest;
    const text = (option: string): string => parts.filter(part => part.option === option).at(-1)?.value ?? '';
    const backends: Option[] = [['', say('Auto')], ...named([text('backend')].filter(Boolean))];
    const controls: Readonly<Record<string, Control>> = {
      '': textControl(text('')),
      backend: choiceControl(backends, text('backend')),
      image: textControl(text('image')),
      'instance-type': textControl(text('instance-type')),
      'instance-count': countControl(text('instance-count'))
    };
    const declared = FORM_SECTIONS.flatMap(({ fields }) => fields).filter(({ option }) => !leftOut.includes(option));
    this.#fields = Object.fromEntries(
      declared.flatMap(({ option, label, help }) => {
        const control = controls[option];
        return control ? [[option, new Field(say(label), control, help && say(help))]] : [];
      })
    );
    const known = (): readonly Offer[] => this.#machines();
    this.#offerings = [
      ...this.#offering(
        'image',
        () => [],
        () => this.#images()
      ),
      ...this.#offering('instance-type', known, () => this.#instances())
    ];
    const jobType = declared.find(({ option }) => option === 'job-type')?.label ?? '';
    const machine = this.#offerings.find(({ field }) => field === this.#fields['instance-type']);
    const offering = (kind: HTMLInputElement): HTMLElement => this.#combine(kind, machine);
    this.#roles = leftOut.includes('role') ? null : new RoleFields(say, say(jobType), parts, offering);
    const { '': name, ...others } = this.#fields;
    this.nameElement = element('div', {}, name?.element ?? null);
    const own = Object.values(others).map(field => field.element);
    this.element = element('div', {}, ...own, ...(this.#roles?.elements ?? []));
    this.#fields['backend']?.control.element.addEventListener('change', () => this.#explainBackend());
    void this.#loadBackends().then(() => this.#offer());
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

  dispose(): void {
    this.#offerings.forEach(({ boxes }) => boxes.forEach(box => box.dispose()));
  }

  /** Say what is wrong beside the fields; whether something is, as far as is known here. */
  check(): boolean {
    this.#showCount(!this.#areRoles);
    this.#offerings.forEach(({ field, boxes, trouble }) => field.explain(boxes[0]?.details || trouble));
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

  /** Offer these beside what is typed, on focus also what `ask` brings; none where there is no such field. */
  #offering(option: string, known: () => readonly Offer[], ask: () => Promise<readonly Offer[]>): Offering[] {
    const field = this.#fields[option];
    const input = field?.control.element;
    if (!field || !(input instanceof HTMLInputElement)) {
      return [];
    }
    const made: Offering = { field, boxes: [], known, asked: [], trouble: '' };
    const place = element('span');
    input.replaceWith(place);
    place.replaceWith(this.#combine(input, made));
    const load = async (): Promise<void> => {
      try {
        made.asked = await ask();
      } catch (error) {
        made.trouble = errorText(error);
      }
      this.#offer();
    };
    input.addEventListener('focus', () => void load(), { once: true });
    return [made];
  }

  /** A field with the list of another one. */
  #combine(input: HTMLInputElement, offering: Offering | undefined): HTMLElement {
    const box = new Combobox(input, this.#say('Suggestions'));
    offering?.boxes.push(box);
    box.offer(offering ? offersOf(offering) : []);
    return box.element;
  }

  /** Something is known that was not. */
  #offer(): void {
    for (const offering of this.#offerings) {
      const { field, boxes, trouble } = offering;
      boxes.forEach(box => box.offer(offersOf(offering)));
      field.explain(boxes[0]?.details || trouble);
    }
  }

  /** This machine's, and those that backends name without being asked. */
  #machines(): Offer[] {
    const named = this.#backends.flatMap(({ title, instances }) =>
      (instances ?? []).map((name): Offer => ({ value: plain(name, 60), details: plain(title, 60) }))
    );
    return [...LOCAL, ...named];
  }

  async #images(): Promise<Offer[]> {
    const { images } = await this.#rest.get<ImagesAnswer>('images');
    return images.map(({ short_name: name, details }) => ({ value: plain(name), details: plain(details, 200) }));
  }

  async #instances(): Promise<Offer[]> {
    const { instances } = await this.#rest.get<InstancesAnswer>('instances');
    const sorted = [...instances].sort((one, other) => Number(other.is_available) - Number(one.is_available));
    return sorted.map(({ name, details }) => ({ value: plain(name), details: plain(details, 200) }));
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

/** What a service tells of one says more than that there is one. */
function offersOf({ known, asked }: Offering): Offer[] {
  const told = new Set(asked.map(({ value }) => value));
  return [...known().filter(({ value }) => !told.has(value)), ...asked];
}

function named(names: readonly string[]): Option[] {
  return names.map(name => [name, plain(name, 60)]);
}
