// @vitest-environment jsdom
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { parseLine } from '../../src/cell/magicline.js';
import { ROLES } from '../../src/cell/roles.js';
import { TargetFields } from '../../src/cell/target.js';
import { panelSay } from '../../src/panel/translation.js';

interface Cases {
  roles: Record<string, string[]>;
  lines: { line: string; isRight: boolean; isRightInForm?: boolean }[];
}

// what tests/contract/test_roles.py reads too
const CASES = JSON.parse(readFileSync(resolve('../tests/data/role_cases.json'), 'utf-8')) as Cases;

let fields: TargetFields;

function open(line = ''): void {
  const rest = { get: () => new Promise<never>(() => undefined) };
  fields = new TargetFields(panelSay('en'), rest, parseLine(`%%pai_train ${line}`) ?? []);
  document.body.append(fields.element);
  fields.check();
}

/** The row of this label. */
function rowOf(label: string): HTMLElement {
  const labels = [...document.querySelectorAll('label')];
  const found = labels.find(each => each.textContent === label)?.closest<HTMLElement>('.pj-JobView-formRow');
  expect(found, label).toBeTruthy();
  return found as HTMLElement;
}

function isShown(label: string): boolean {
  return [...document.querySelectorAll('label')].some(each => each.textContent === label) && !rowOf(label).hidden;
}

function fill(label: string, text: string, at = 0): void {
  const control = rowOf(label).querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')[at];
  expect(control).toBeTruthy();
  if (control) {
    control.value = text;
    control.dispatchEvent(new Event('change', { bubbles: true }));
  }
  fields.check();
}

const errorOf = (label: string): string => rowOf(label).querySelector('.pj-JobView-fieldError')?.textContent ?? '';
const written = (): string => fields.settings.map(({ option, value }) => `--${option} ${value}`).join(' ');

afterEach(() => document.body.replaceChildren());

it('knows the roles that Python knows', () => {
  expect(ROLES).toEqual(CASES.roles);
});

it.each(CASES.lines)('finds a line right or wrong as the magic does: $line', ({ line, isRight, isRightInForm }) => {
  open(line);
  expect(fields.check()).toBe(!(isRightInForm ?? isRight));
});

it.each(['', 'ecs.c6.large'])('takes a count of 0 as none, with the instance type "%s"', machine => {
  open('--job-type TFJob --role worker=2');
  fill('Replicas of chief', '0');
  fill('Replicas of chief', machine, 1);
  expect(fields.check()).toBe(false);
  expect(written()).toBe('--job-type TFJob --role worker=2');
  fill('Replicas of worker', '0');
  expect([written(), isShown('Instance count')]).toEqual(['--job-type TFJob', true]);
  fill('Replicas of worker', '10');
  expect(written()).toBe('--job-type TFJob --role worker=10');
  fill('Job type', 'PyTorchJob');
  fill('Replicas of master', '0');
  expect(errorOf('Replicas of master')).toBe('PyTorchJob needs exactly one master.');
});

it('hides roles until a type is chosen', () => {
  open();
  expect(isShown('Replicas of chief')).toBe(false);
  expect([written(), fields.check()]).toEqual(['', false]);
  fill('Job type', 'TFJob');
  expect(['chief', 'ps', 'worker', 'evaluator'].map(name => isShown(`Replicas of ${name}`))).toEqual(
    Array(4).fill(true)
  );
  fill('Job type', 'PyTorchJob');
  expect(['chief', 'master', 'worker'].map(name => isShown(`Replicas of ${name}`))).toEqual([false, true, true]);
  expect(written()).toBe('--job-type PyTorchJob');
});

it('writes the roles that have a count, with their instance types, in the place of the instance count', () => {
  open('--instance-count 4');
  fill('Job type', 'TFJob');
  expect(written()).toBe('--instance-count 4 --job-type TFJob');
  fill('Replicas of chief', '1');
  fill('Replicas of worker', '2');
  fill('Replicas of worker', ' ecs.c6.large ', 1);
  expect(isShown('Instance count')).toBe(false);
  expect(written()).toBe('--job-type TFJob --role chief=1 --role worker=2:ecs.c6.large');
  expect(rowOf('Replicas of worker').querySelectorAll('input')[1]?.getAttribute('role')).toBe('combobox');
  fill('Replicas of chief', '');
  fill('Replicas of worker', '');
  expect(isShown('Instance count')).toBe(true);
  expect(errorOf('Replicas of worker')).toContain('whole number'); // its type has no count
});

it('keeps roles of the line as they are spelled', () => {
  open('--role Worker=2:local --job-type TFJob --role Chief=1');
  expect(written()).toBe('--job-type TFJob --role Worker=2:local --role Chief=1');
  expect([isShown('Replicas of Worker'), isShown('Replicas of ps')]).toEqual([true, true]);
});

describe('what is wrong', () => {
  it('is a role that another type has, until its count is empty', () => {
    open('--job-type TFJob --role chief=1');
    fill('Job type', 'PyTorchJob');
    expect(errorOf('Replicas of chief')).toBe('PyTorchJob has no role chief. Empty the count.');
    expect(errorOf('Replicas of master')).toBe('PyTorchJob needs exactly one master.');
    fill('Replicas of chief', '');
    expect(fields.check()).toBe(false);
  });

  it('are roles without a type, and a type that is none', () => {
    open('--role chief=1');
    expect(errorOf('Job type')).toBe('The roles below need a job type.');
    expect(isShown('Replicas of chief')).toBe(true);
    document.body.replaceChildren();
    open('--job-type MPIJob');
    expect(errorOf('Job type')).toBe('This must be one of: TFJob, PyTorchJob, XGBoostJob, ElasticBatchJob, TaskRoles.');
    expect(written()).toBe('--job-type MPIJob');
  });

  it('is a count that is no number, which is shown as it was typed', () => {
    open('--job-type TFJob --role worker={n}');
    expect(rowOf('Replicas of worker').querySelector('input')?.value).toBe('{n}');
    expect(errorOf('Replicas of worker')).toBe('This must be a whole number between 1 and 10000.');
  });

  it('is a role that is there twice', () => {
    open('--job-type TFJob --role worker=1 --role Worker=2');
    expect(errorOf('Replicas of worker')).toBe('');
    expect(errorOf('Replicas of Worker')).toBe('This role is there twice. Empty one of the counts.');
  });
});
