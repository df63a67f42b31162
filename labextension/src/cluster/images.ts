/** The images of a job file that is to be simulated, each with a field for a local one in its place. */

import { Field, textControl } from '../cell/fields.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

const PART = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*';
/** What the server takes: HOST[:PORT]/PATH:TAG@DIGEST, of which the path is needed. */
const IMAGE = new RegExp(
  `^(?:[A-Za-z0-9.-]+(?::\\d+)?/)?${PART}(?:/${PART})*(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`
);

export class ImageFields {
  readonly element = element('div');
  readonly #say: Say;
  readonly #fields: readonly (readonly [image: string, field: Field])[];

  constructor(say: Say, images: readonly string[]) {
    this.#say = say;
    const help = say('The local image to run in its place. Leave blank to keep it.');
    this.#fields = images.map(image => [image, new Field(plain(image, 200), textControl('', false), help)] as const);
    if (images.length) {
      this.element.append(element('h3', {}, say('Local images')), ...this.#fields.map(([, field]) => field.element));
    }
    this.element.addEventListener('input', () => this.#fields.forEach(([, field]) => field.show('')));
  }

  get isEmpty(): boolean {
    return this.#fields.length === 0;
  }

  /** Local images by those of the job file, where one is given. */
  get given(): Record<string, string> {
    const texts = this.#fields.map(([image, field]) => [image, field.text.trim()] as const);
    return Object.fromEntries(texts.filter(([, text]) => text));
  }

  /** Say which fields have no image; whether all are good. */
  check(): boolean {
    const isGood = (text: string): boolean => text === '' || IMAGE.test(text);
    const sentence = this.#say('This is no name of an image, e.g. python:3.11-slim');
    this.#fields.forEach(([, field]) => field.show(isGood(field.text.trim()) ? '' : sentence));
    return this.#fields.every(([, field]) => isGood(field.text.trim()));
  }
}
