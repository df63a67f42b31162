/**
 * What the server says of a run, in words of its form, and the field that it is about. Pure.
 *
 * Rule: sentences are written once, for a magic's line. What is to be typed there is the same in every language: it
 *   tells the field, and is replaced by the field's label.
 */

import type { Say } from '../tokens.js';

const LABELS: Readonly<Record<string, string>> = {
  'instance-type': 'Instance type',
  'instance-count': 'Instance count',
  image: 'Image',
  backend: 'Backend'
};
const OPTION = /--(instance-type|instance-count|image|backend)(?![\w-])(?:[ =](?!out\b)([\w.:/-]*\w))?/g;
const PART = /`(instance_type|instance_count|image_uri|backend)`/g;
const LAST = /\s*([:：])\s*-[iop] \S+=\S*$/; // "Give one: -i train=PATH"
const ASIDE = /\s*[(（]-[iop] [^\s()（）]+=[^\s()（）]*[)）]/g;

/** The names of the fields that a component has. */
export interface RunNames {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly values: readonly string[];
}

export type RunField = readonly [kind: keyof RunNames | 'option', name: string];

const SIGNS: Readonly<Record<keyof RunNames, (name: string) => readonly string[]>> = {
  inputs: name => [`input '${name}'`, `输入 '${name}'`, `-i ${name}=`],
  outputs: name => [`output '${name}'`, `输出 '${name}'`, `-o ${name}=`],
  values: name => [`parameter '${name}'`, `参数 '${name}'`, `\`${name}\``, `-p ${name}=`]
};

/** The field that a sentence is about; null for none of them. */
export function fieldOf(sentence: string, names: RunNames): RunField | null {
  for (const kind of ['inputs', 'outputs', 'values'] as const) {
    const name = names[kind].find(each => SIGNS[kind](each).some(sign => sentence.includes(sign)));
    if (name !== undefined) {
      return [kind, name];
    }
  }
  const option = Object.keys(LABELS).find(
    each => sentence.includes(`--${each}`) || sentence.includes(`\`${each.replace('-', '_')}\``)
  );
  return option === undefined ? null : ['option', option];
}

/** A sentence with the labels of the form in place of a line's options. */
export function inForm(sentence: string, say: Say): string {
  if (sentence.includes('--accept-changes')) {
    return say('To run it as it is now, tick the box above.');
  }
  const label = (option: string): string => say(LABELS[option] ?? option);
  return sentence
    .replace(LAST, (_, colon: string) => (colon === '：' ? '。' : '.'))
    .replace(ASIDE, '')
    .replace(OPTION, (_, option: string, value?: string) => (value ? `${label(option)}: ${value}` : label(option)))
    .replace(PART, (_, part: string) => label(part.replace('_uri', '').replace('_', '-')));
}
