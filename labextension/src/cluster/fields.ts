/**
 * The fields of a cluster: a new one with its address and user, or the password of one that is known.
 *
 * Rule: a password leaves the page in the body of one request, and its field is emptied then.
 */

import { type Control, Field, textControl } from '../cell/fields.js';
import { checkBox } from '../component/rows.js';
import type { ClusterRow, ClustersAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { element } from '../parts/dom.js';
import { plain } from '../text/sanitize.js';
import type { Say } from '../tokens.js';

export class ClusterFields {
  readonly element = element('div');
  readonly #say: Say;
  readonly #known: ClusterRow | null;
  readonly #name: Field;
  readonly #address: Field;
  readonly #user: Field;
  readonly #password: Field;
  readonly #keep: HTMLInputElement;
  readonly #wanted: readonly Field[];

  /** `known` is the cluster whose password is asked for; null: all of a new one. */
  constructor(say: Say, known: ClusterRow | null) {
    this.#say = say;
    this.#known = known;
    this.#name = new Field(say('Name'), textControl(''), say('Your own name for it, e.g. lab'));
    this.#address = new Field(say('Address'), textControl(''), say('Host or http(s)://HOST[:PORT]'));
    this.#user = new Field(say('User'), textControl(''));
    this.#password = new Field(say('Password'), secretControl());
    this.#keep = checkBox(say('keep the password in a file that only you can read'), false);
    this.#wanted = known ? [this.#password] : [this.#name, this.#address, this.#user, this.#password];
    const label = this.#keep.closest('label');
    this.element.append(...this.#wanted.map(field => field.element), ...(label ? [label] : []));
    this.element.addEventListener('input', () => {
      this.#wanted.filter(({ text }) => text.trim()).forEach(field => field.show(''));
    });
  }

  /** Say which fields are empty; whether none is. */
  check(): boolean {
    this.#wanted.forEach(field => field.show(field.text.trim() ? '' : this.#say('This field is empty.')));
    return this.#wanted.every(field => field.text.trim());
  }

  /** Have the server take it; gives all clusters then. */
  async save(rest: Pick<Rest, 'post'>): Promise<readonly ClusterRow[]> {
    const secret = { password: this.#password.text, keep: this.#keep.checked };
    const [name, address, user] = [this.#name, this.#address, this.#user].map(field => field.text.trim());
    const { clusters } = this.#known
      ? await rest.post<ClustersAnswer>('clusters/login', { name: this.#known.name, ...secret })
      : await rest.post<ClustersAnswer>('clusters', { name, address, user, ...secret });
    this.#password.control.set('');
    return clusters;
  }
}

/** How a cluster is told from others: its name, and who is where. */
export function clusterTitle({ name, address, user }: ClusterRow): string {
  return `${plain(name, 100)} (${plain(user, 100)}, ${plain(address, 200)})`;
}

function secretControl(): Control {
  const control = textControl('');
  control.element.setAttribute('type', 'password');
  control.element.setAttribute('autocomplete', 'new-password'); // or a browser fills in that of this server
  return control;
}
