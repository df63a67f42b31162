/**
 * Which rows of a list are chosen, by mouse and keys, as lists of files do it. No DOM.
 *
 *   anchor   where a range begins: the row that was pressed last without Shift
 *   active   where the keyboard is: the row that was pressed or moved to last
 *
 * Rule 1: rows are known by their ids: the list may be sorted anew, and rows may come and go, under a selection.
 * Rule 2: what is filtered out of sight is not chosen: nobody stops a job that they do not see.
 */

export interface Keys {
  readonly isRange: boolean;
  readonly isMore: boolean;
}

export class Selection {
  #order: readonly string[] = [];
  #chosen: ReadonlySet<string> = new Set();
  #active: string | null = null;
  #anchor: string | null = null;

  get chosen(): ReadonlySet<string> {
    return this.#chosen;
  }

  get active(): string | null {
    return this.#active;
  }

  /** The chosen ids in the order of the list. */
  inOrder(): string[] {
    return this.#order.filter(id => this.#chosen.has(id));
  }

  /** These rows are listed now. */
  setOrder(order: readonly string[]): void {
    const listed = new Set(order);
    const place = this.#active === null ? -1 : this.#order.indexOf(this.#active);
    this.#order = order;
    this.#chosen = new Set([...this.#chosen].filter(id => listed.has(id)));
    if (this.#active !== null && !listed.has(this.#active)) {
      this.#active = order[Math.min(Math.max(place, 0), order.length - 1)] ?? null; // its neighbour
    }
    if (this.#anchor !== null && !listed.has(this.#anchor)) {
      this.#anchor = this.#active;
    }
  }

  /** A row was pressed. */
  press(id: string, { isRange, isMore }: Keys): void {
    if (isRange) {
      this.#extend(id);
      return;
    }
    this.#anchor = this.#active = id;
    this.#chosen = isMore ? toggled(this.#chosen, id) : new Set([id]);
  }

  /** The keyboard goes on by so many rows. */
  move(by: number, { isRange, isMore }: Keys): void {
    const from = this.#active === null ? -1 : this.#order.indexOf(this.#active);
    const start = from < 0 && by < 0 ? 0 : from; // nothing was active: down begins at the first row
    const to = this.#order[Math.max(0, Math.min(this.#order.length - 1, start + by))];
    if (to !== undefined && isMore && !isRange) {
      this.#active = to; // and Ctrl+Space chooses it
    } else if (to !== undefined) {
      this.press(to, { isRange, isMore: false });
    }
  }

  all(): void {
    this.#chosen = new Set(this.#order);
    this.#active ??= this.#order[0] ?? null;
  }

  none(): void {
    this.#chosen = new Set();
  }

  #extend(id: string): void {
    const from = this.#order.indexOf(this.#anchor ?? id);
    const to = this.#order.indexOf(id);
    this.#anchor ??= id;
    this.#active = id;
    this.#chosen = new Set(this.#order.slice(Math.min(from, to), Math.max(from, to) + 1));
  }
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const made = new Set(chosen);
  if (!made.delete(id)) {
    made.add(id);
  }
  return made;
}
