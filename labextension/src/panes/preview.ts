/**
 * What a file looks like: text, JSON in order, or a picture. Nothing of a file is ever run or parsed as markup: a
 * picture, SVG too, is drawn by `<img>`, which runs no script.
 */

import { textBlock } from '../parts/blocks.js';
import { element, quiet } from '../parts/dom.js';
import { block, plain } from '../text/sanitize.js';
import type { Context, FilesAnswer } from '../tokens.js';

const MAX_INDENT = 40; // steps; deeper is drawn no deeper

type Preview = Pick<Extract<FilesAnswer, { kind: 'preview' }>, 'type' | 'mime' | 'text' | 'is_cut'>;

/** Addresses of pictures in memory; they keep the bytes until they are cleared. */
export class PreviewImages {
  #addresses: string[] = [];

  add(data: ArrayBuffer, mime: string): string {
    const address = URL.createObjectURL(new Blob([data], { type: mime }));
    this.#addresses.push(address);
    return address;
  }

  clear(): void {
    this.#addresses.splice(0).forEach(address => URL.revokeObjectURL(address));
  }
}

export function preview(
  { say }: Pick<Context, 'say'>,
  path: string,
  file: Preview,
  data: ArrayBuffer | undefined,
  images: PreviewImages
): Node[] {
  const name = plain(path, 500);
  const parts: HTMLElement[] = [];
  if (file.type === 'image' && data && file.mime.startsWith('image/')) {
    parts.push(element('img', { class: 'pj-JobView-picture', src: images.add(data, file.mime), alt: name }));
  } else if (file.type === 'text' || file.type === 'json') {
    parts.push(textBlock(block(file.type === 'json' ? formatJson(file.text) : file.text), name));
  } else {
    parts.push(element('p', {}, say('No preview available for this file type')));
  }
  if (file.is_cut) {
    parts.push(quiet(say('Showing the beginning of the file')));
  }
  return parts;
}

/** JSON with its parts on lines of their own, each token as it stands: a long number must not lose its last digits. */
export function formatJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text; // it is none, or it is cut
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
  const written = tokens.map((token, at) => {
    if (/^[[{]$/.test(token)) {
      depth += 1;
      return /^[\]}]$/.test(tokens[at + 1] ?? '') ? token : token + line();
    }
    if (/^[\]}]$/.test(token)) {
      depth -= 1;
      return /^[[{]$/.test(tokens[at - 1] ?? '') ? token : line() + token;
    }
    return token === ',' ? token + line() : token === ':' ? ': ' : token;
  });
  return written.join('');
}
