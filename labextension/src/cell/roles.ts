/**
 * The type of a distributed job, and of each of its roles how many replicas on which instance type. Left empty, none
 * is said.
 *
 * Rule 1: roles are hidden until a type is chosen. A role that has a count stays, and with it what is wrong: nothing of
 * the line goes unseen. A count of 0 is none.
 * Rule 2: the roles of a type are those of pai_jupyter/contract/roles.py; tests/data/role_cases.json tests both.
 */

import type { Option } from '../parts/controls.js';
import { element } from '../parts/dom.js';
import { formatNumber } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';
import { choiceControl, countControl, Field, textControl } from './fields.js';
import type { Part, Setting } from './magicline.js';
import { hasBreak } from './shlex.js';

/** The roles that are offered, by type. */
export const ROLES: Readonly<Record<string, readonly string[]>> = {
  TFJob: ['chief', 'ps', 'worker', 'evaluator'],
  PyTorchJob: ['master', 'worker'],
  XGBoostJob: ['master', 'worker'],
  ElasticBatchJob: ['worker'],
  TaskRoles: ['worker'] // and any other
};
const ALSO_KNOWN: Readonly<Record<string, string>> = { TFJob: 'master', ElasticBatchJob: 'aimaster' };
const ANY_ROLE = 'TaskRoles';
const WITH_MASTER: ReadonlySet<string> = new Set(['PyTorchJob', 'XGBoostJob']);
const MOST = 10_000; // replicas, as pai_jupyter/spec.py has it

/** One role: `name` as the line spells it. */
interface RoleRow {
  readonly name: string;
  readonly field: Field;
  readonly machine: HTMLInputElement;
}

export class RoleFields {
  readonly #say: Say;
  readonly #type: Field;
  readonly #offering: (kind: HTMLInputElement) => HTMLElement;
  readonly #box = element('div');
  readonly #rows: RoleRow[] = [];
  readonly elements: readonly HTMLElement[];

  /** `offering` gives a field for an instance type a list of those that there are. */
  constructor(say: Say, label: string, parts: readonly Part[], offering: (kind: HTMLInputElement) => HTMLElement) {
    this.#say = say;
    this.#offering = offering;
    const given = parts.filter(({ option }) => option === 'job-type').at(-1)?.value ?? '';
    const types = [...new Set([...Object.keys(ROLES), given])].filter(Boolean);
    const options: Option[] = [['', '—'], ...types.map((name): Option => [name, plain(name, 60)])];
    this.#type = new Field(label, choiceControl(options, given));
    this.elements = [this.#type.element, this.#box];
    for (const { option, value } of parts) {
      if (option === 'role') {
        const [, name = value, count = '', machine = ''] = /^([^=]*)=([^:]*)(?::([^]*))?$/.exec(value) ?? [];
        this.#append(name.trim(), count.trim() || '?', machine.trim());
      }
    }
    this.#show();
    this.#type.control.element.addEventListener('change', () => this.#show());
  }

  /** Whether the roles say how many replicas there are. */
  get areGiven(): boolean {
    return this.#given.length > 0;
  }

  get settings(): Setting[] {
    const type = this.#type.text;
    const roles = this.#given.map(({ name, field, machine }) => {
      const kind = machine.value.trim();
      return { option: 'role', value: `${name}=${field.text.trim()}${kind && `:${kind}`}` };
    });
    return [...(type ? [{ option: 'job-type', value: type }] : []), ...roles];
  }

  /** Say what is wrong beside the fields; whether something is. */
  check(): boolean {
    const type = this.#typeError();
    this.#type.show(type);
    const errors = this.#rows.map(row => {
      const error = type ? '' : this.#roleError(row);
      row.field.show(error);
      return error;
    });
    return [type, ...errors].some(Boolean);
  }

  get #given(): RoleRow[] {
    return this.#rows.filter(({ field }) => field.isUnreadable || !/^0*$/.test(field.text.trim()));
  }

  #typeError(): string {
    const type = this.#type.text;
    if (type && !ROLES[type]) {
      return this.#say('This must be one of: {choices}.', { choices: Object.keys(ROLES).join(', ') });
    }
    return !type && this.areGiven ? this.#say('The roles below need a job type.') : '';
  }

  #roleError(row: RoleRow): string {
    const [say, type, count] = [this.#say, this.#type.text, row.field.text.trim()];
    const given = this.#given;
    const role = row.name.toLowerCase();
    if (given.includes(row)) {
      if (type !== ANY_ROLE && !ROLES[type]?.includes(role) && ALSO_KNOWN[type] !== role) {
        return say('{type} has no role {name}. Empty the count.', { type, name: plain(row.name, 60) });
      }
      if (row.field.isUnreadable || !/^[1-9]\d*$/.test(count) || Number(count) > MOST) {
        return say('This must be a whole number between 1 and {maximum}.', { maximum: formatNumber(MOST) });
      }
      if (hasBreak(row.machine.value)) {
        return say('Line breaks are not allowed.');
      }
      if (given.find(({ name }) => name.toLowerCase() === role) !== row) {
        return say('This role is there twice. Empty one of the counts.');
      }
    } else if (row.machine.value.trim() && !count) {
      return say('This must be a whole number between 1 and {maximum}.', { maximum: formatNumber(MOST) });
    }
    const needsOne = role === 'master' && WITH_MASTER.has(type) && given.length > 0;
    return needsOne && Number(count) !== 1 ? say('{type} needs exactly one master.', { type }) : '';
  }

  #append(name: string, count: string, machine: string): void {
    const say = this.#say;
    const label = say('Instance type of {name}', { name: plain(name, 60) });
    const kind = element('input', {
      type: 'text',
      class: 'pj-JobView-input',
      'aria-label': label,
      placeholder: say('Instance type'),
      autocomplete: 'off'
    });
    kind.spellcheck = false;
    kind.value = machine;
    // what is no number is seen as well
    const control = /^\d*$/.test(count) ? countControl(count, '0') : textControl(count);
    const offered = this.#offering(kind);
    const field = new Field(say('Replicas of {name}', { name: plain(name, 60) }), control, '', offered);
    this.#rows.push({ name, field, machine: kind });
    this.#box.append(field.element);
  }

  /** Show the roles of the chosen type, and those that have a count. */
  #show(): void {
    const names = ROLES[this.#type.text] ?? [];
    for (const name of names) {
      if (!this.#rows.some(row => row.name.toLowerCase() === name)) {
        this.#append(name, '', '');
      }
    }
    const given = this.#given;
    for (const row of this.#rows) {
      row.field.element.hidden = !names.includes(row.name.toLowerCase()) && !given.includes(row);
    }
  }
}
