/** The rows of parameters: name, type, default, whether one must be given, and a range or a list of values. */

import { textOf } from '../cell/values.js';
import { choice } from '../parts/controls.js';
import type { ComponentFormParameter } from '../panel/protocol.js';
import type { Say } from '../tokens.js';
import { checkBox, described, descriptionBox, labelledBox, type RowControls, textBox, without } from './rows.js';

type Value = string | number | boolean;

const TYPES: readonly string[] = ['Float', 'Int', 'String', 'Bool'];

export function parameterControls(say: Say, given: ComponentFormParameter | null): RowControls<ComponentFormParameter> {
  const name = textBox(say('Name'), 'lr', given?.name ?? '');
  const type = choice(
    say('Type'),
    TYPES.map(each => [each, each] as const),
    () => undefined
  );
  type.value = given?.type ?? 'Float';
  const usual = labelledBox(say('Default'), textOf(given?.default));
  const low = labelledBox(say('Minimum'), textOf(given?.minimum));
  const high = labelledBox(say('Maximum'), textOf(given?.maximum));
  const listed = (given?.choices ?? []).map(textOf).join(', ');
  const values = labelledBox(say('One of'), listed);
  values.placeholder = 'a, b, c';
  const required = checkBox(say('required'), given?.required ?? false);
  const about = descriptionBox(say, given);
  return {
    controls: [name, type, usual, low, high, values, required, about],
    get: () => ({
      ...without(given ?? {}, 'default', 'minimum', 'maximum', 'choices', 'description'),
      ...bound('minimum', low.value, given),
      ...bound('maximum', high.value, given),
      ...(usual.value.trim() === '' ? {} : { default: valueOf(usual.value, type.value) }),
      ...(values.value.trim() === '' ? {} : { choices: choicesOf(values.value, listed, type.value, given) }),
      name: name.value.trim(),
      type: type.value,
      required: required.checked,
      ...described(about)
    }),
    complaint: () => ([low, high].every(({ value }) => isBound(value)) ? '' : say('A range needs numbers.'))
  };
}

/** A text as a value of this type; as it was typed where it is none, which the server then says. */
export function valueOf(text: string, type: string): Value {
  const word = text.trim();
  if (type === 'Int') {
    return /^[-+]?\d+$/.test(word) && Number.isSafeInteger(Number(word)) ? Number(word) : word;
  }
  if (type === 'Float') {
    return word !== '' && Number.isFinite(Number(word)) ? Number(word) : word;
  }
  if (type === 'Bool') {
    return /^true$/i.test(word) ? true : /^false$/i.test(word) ? false : word;
  }
  return text;
}

/** The values that were given as long as their text is what it was: one of them may have a comma in it. */
function choicesOf(text: string, before: string, type: string, given: ComponentFormParameter | null): (Value | null)[] {
  if (text === before && given?.choices && given.type === type) {
    return given.choices;
  }
  return text
    .split(',')
    .map(word => word.trim())
    .filter(Boolean)
    .map(word => valueOf(word, type));
}

/** A bound, which stays an open one while it is not changed. */
function bound(
  name: 'minimum' | 'maximum',
  text: string,
  given: ComponentFormParameter | null
): Partial<ComponentFormParameter> {
  const isSame = given !== null && text === textOf(given[name]);
  const open = isSame ? {} : { [`open_${name}`]: false };
  return text.trim() === '' ? open : { ...open, [name]: isSame ? given[name] : Number(text) };
}

function isBound(text: string): boolean {
  return text.trim() === '' || Number.isFinite(Number(text));
}
