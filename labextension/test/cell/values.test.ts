import { describe, expect, it } from 'vitest';

import { valueError, isSame, textOf } from '../../src/cell/values.js';
import type { HyperparameterRow } from '../../src/panel/protocol.js';
import { panelSay } from '../../src/panel/translation.js';

function row(kind: HyperparameterRow['kind'], more: Partial<HyperparameterRow> = {}): HyperparameterRow {
  return {
    name: 'x',
    kind,
    default: null,
    minimum: null,
    maximum: null,
    open_minimum: false,
    open_maximum: false,
    nullable: false,
    step: null,
    is_log: false,
    choices: [],
    help: '',
    line: 1,
    is_offered: false,
    commands: [],
    chosen_by: '',
    ...more
  };
}

describe('a value', () => {
  it.each<[HyperparameterRow, string]>([
    [row('int'), '3'],
    [row('int'), ' -3 '],
    [row('int'), '1e3'],
    [row('int'), ''],
    [row('float'), '.5'],
    [row('float'), '1E-5'],
    [row('float', { minimum: 0 }), '0'],
    [row('bool'), 'yes'],
    [row('bool'), 'False'],
    [row('json'), '[1, {"a": null}]'],
    [row('str'), ''],
    [row('str'), '训练 {x} "'],
    [row('str', { maximum: 1 }), '😀'],
    [row('float', { choices: [0.1, 1] }), '1e-1'],
    [row('str', { choices: ['a'] }), ''],
    [row('str', { default: 'a\nb' }), 'a\nb'],
    [row('float'), 'nan'],
    [row('float'), '-Infinity'],
    [row('float', { minimum: 0 }), 'inf'],
    [row('float', { minimum: 0, maximum: 1, open_minimum: true }), '1'],
    [row('int', { nullable: true, minimum: 1 }), 'None'],
    [row('float'), '1e400']
  ])('of %j may be %j', (declared, text) => {
    expect(valueError(declared, text, panelSay('en'))).toBe('');
  });

  it.each<[HyperparameterRow, string, string]>([
    [row('int'), '3.5', 'This must be a whole number.'],
    [row('int'), '0x10', 'This must be a whole number.'],
    [row('int'), 'inf', 'This must be a whole number.'],
    [row('int'), 'None', 'This must be a whole number.'],
    [row('float', { minimum: 0, maximum: 1 }), 'nan', 'This must be between 0 and 1.'],
    [row('float', { minimum: 0, maximum: 1, open_minimum: true }), '0', 'This must be above 0.'],
    [row('float', { minimum: 0, maximum: 1, open_minimum: true }), '2', 'This must be at most 1.'],
    [row('float', { minimum: 0, maximum: 1, open_maximum: true }), '1', 'This must be below 1.'],
    [row('float'), '1,5', 'This must be a number.'],
    [row('bool'), 'maybe', 'This must be True or False.'],
    [row('json'), '3', 'This must be a list or a dict as JSON, e.g. [1, 2].'],
    [row('json'), '[1', 'This must be a list or a dict as JSON, e.g. [1, 2].'],
    [row('int', { default: 500 }), '', 'This must not be empty. The default is 500.'],
    [row('float', { default: 0.1 }), ' ', 'This must not be empty. The default is 0.1.'],
    [row('int', { minimum: 10, maximum: 1000 }), '5000', 'This must be between 10 and 1000.'],
    [row('int', { minimum: 1 }), '0', 'This must be at least 1.'],
    [row('int', { maximum: 9 }), '10', 'This must be at most 9.'],
    [row('float', { minimum: 1e-5, maximum: 1 }), '2', 'This must be between 1e-5 and 1.'],
    [row('str', { minimum: 2, maximum: 3 }), 'a', 'This must be of 2 to 3 characters.'],
    [row('str', { choices: ['a', 'b'] }), 'c', 'Choose one of the options.']
  ])('of %j may not be %j', (declared, text, expected) => {
    expect(valueError(declared, text, panelSay('en'))).toBe(expected);
  });

  it('with a line break has another way to the job', () => {
    expect(valueError(row('str'), 'a\nb', panelSay('en'))).toContain('--params FILE');
  });

  it.each([
    [true, 'True'],
    [0.5, '0.5'],
    ['a', 'a'],
    [null, ''],
    [[1, 'a'], '[1,"a"]']
  ])('%j is written %j', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it.each<[HyperparameterRow['kind'], string, string, boolean]>([
    ['float', '1e-2', '0.01', true],
    ['str', '1e-2', '0.01', false],
    ['int', '', '0', false],
    ['int', '3', '4', false]
  ])('of kind %s: %j and %j', (kind, one, other, expected) => {
    expect(isSame(row(kind), one, other)).toBe(expected);
  });
});
