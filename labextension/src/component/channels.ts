/** The rows of input and output channels: a name, the storages that it may be in, whether it must be given. */

import { choice } from '../parts/controls.js';
import type { ComponentFormInput, ComponentFormOutput } from '../panel/protocol.js';
import type { Say } from '../tokens.js';
import { checkBox, described, descriptionBox, type RowControls, textBox, without } from './rows.js';

const SOURCES: readonly string[] = ['OSS', 'NAS', 'MaxCompute'];
const STORAGES: readonly string[] = ['OSS', 'MaxCompute'];

export function inputControls(say: Say, given: ComponentFormInput | null): RowControls<ComponentFormInput> {
  const name = textBox(say('Name'), 'train', given?.name ?? '');
  const known = given?.sources ?? SOURCES;
  const boxes = SOURCES.map(source => checkBox(source, known.includes(source)));
  const required = checkBox(say('required'), given?.required ?? true);
  const about = descriptionBox(say, given);
  const chosen = (): string[] => SOURCES.filter((_, at) => boxes[at]?.checked);
  return {
    controls: [name, ...boxes, required, about],
    get: () => {
      const sources = chosen();
      const restricted = sources.length === SOURCES.length ? {} : { sources };
      const kept = without(given ?? {}, 'sources', 'description');
      return { ...kept, name: name.value.trim(), required: required.checked, ...restricted, ...described(about) };
    },
    complaint: () => (chosen().length ? '' : say('Choose where its data may be: OSS, NAS or MaxCompute.'))
  };
}

export function outputControls(say: Say, given: ComponentFormOutput | null): RowControls<ComponentFormOutput> {
  const name = textBox(say('Name'), 'model', given?.name ?? '');
  const options = STORAGES.map(storage => [storage, storage] as const);
  const storage = choice(say('Storage'), options, () => undefined);
  storage.value = given?.storage ?? 'OSS';
  const about = descriptionBox(say, given);
  return {
    controls: [name, storage, about],
    get: () => ({
      ...without(given ?? {}, 'description'),
      name: name.value.trim(),
      storage: storage.value,
      ...described(about)
    }),
    complaint: () => ''
  };
}
