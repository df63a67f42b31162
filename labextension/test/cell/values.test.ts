import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

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
    required: false,
    is_given: false,
    range: '',
    default_text: '',
    rule: '',
    ...more
  };
}

interface Case {
  readonly text: string;
  readonly row: Partial<HyperparameterRow>;
  readonly is_valid: boolean;
}

const CASES = JSON.parse(readFileSync(resolve('../tests/data/value_cases.json'), 'utf-8')) as Case[];

describe('a value', () => {
  it.each(CASES)(
    'is what Python says it is: $text of $row',
    ({ text, row: { kind = 'str', ...more }, is_valid: isValid }) => {
      const rule = 'x must be right';
      const error = valueError(row(kind, { rule, default_text: String(more.default), ...more }), text, panelSay('en'));
      const isEmpty = kind !== 'str' && text.trim() === '';
      expect(error).toBe(isValid ? '' : isEmpty ? `${rule}. The default is ${String(more.default)}.` : rule);
    }
  );

  it('that is the default is right, whatever it is', () => {
    expect(valueError(row('str', { default: 'a\nb' }), 'a\nb', panelSay('en'))).toBe('');
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
