/**
 * Elements, made in one expression. Text only ever becomes a text node, so nothing that a job says can become markup.
 */

export type Child = Node | string | null;
export type Properties = Readonly<Record<string, string | number | boolean | null>>;

/**
 * An element with these attributes and children. `true` sets an attribute without a value; `false` and `null` leave it
 * out.
 *
 *     element('button', { class: 'pj-JobView-stop', type: 'button' }, 'Stop')
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== null && value !== false) {
      made.setAttribute(name, value === true ? '' : String(value));
    }
  }
  made.append(...children.filter(child => child !== null));
  return made;
}

export type ButtonKind = 'plain' | 'primary' | 'danger' | 'small' | 'bare' | 'link';

/** A button with a visible label. */
export function button(label: string, kind: ButtonKind, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: `pj-JobView-button pj-JobView-${kind}` }, label);
  made.addEventListener('click', press);
  return made;
}

/** Set a text, unless it says this already: a screen reader and the layout are left alone. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** A remark of lesser weight. */
export function quiet(text: string): HTMLElement {
  return element('p', { class: 'pj-JobView-quiet' }, text);
}

/** Things to be undone, in one call; a listener is added and noted at once. */
export class Disposables {
  readonly #undo: (() => void)[] = [];

  add(undo: () => void): void {
    this.#undo.push(undo);
  }

  listen<K extends keyof DocumentEventMap>(
    target: HTMLElement | Document,
    type: K,
    listener: (event: DocumentEventMap[K]) => void,
    options?: AddEventListenerOptions
  ): void {
    target.addEventListener(type, listener as EventListener, options);
    this.add(() => target.removeEventListener(type, listener as EventListener, options));
  }

  dispose(): void {
    for (const undo of this.#undo.splice(0).reverse()) {
      undo();
    }
  }
}
