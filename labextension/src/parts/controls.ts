/**
 * What a person sets: toggles, choices, boxes to search in. Each has its words, and its listener goes with it.
 */

import { button, element } from './dom.js';

/** Give a control with a short label, or a mere sign, the words that say what it does. */
export function withTooltip<E extends HTMLElement>(control: E, words: string): E {
  control.title = words;
  return control;
}

/** A button with a sign on it: its words are its name too, for those who do not see the sign. */
export function withLabel<E extends HTMLElement>(control: E, words: string): E {
  control.setAttribute('aria-label', words);
  return withTooltip(control, words);
}

/** A small button that is on or off; `changed` hears of it when the user presses. */
export function toggle(label: string, changed: (isOn: boolean) => void): HTMLButtonElement {
  const made = button(label, 'small', () => {
    setPressed(made, !isPressed(made));
    changed(isPressed(made));
  });
  setPressed(made, false);
  return made;
}

export function isPressed(made: HTMLButtonElement): boolean {
  return made.getAttribute('aria-pressed') === 'true';
}

export function setPressed(made: HTMLButtonElement, isOn: boolean): void {
  made.setAttribute('aria-pressed', String(isOn));
}

/** A value, and what it is called. */
export type Option = readonly [value: string, text: string];

/** A choice of one out of several. */
export function choice(label: string, options: readonly Option[], changed: (value: string) => void): HTMLSelectElement {
  const made = element('select', { class: 'pj-JobView-input', 'aria-label': label });
  setOptions(made, options);
  made.addEventListener('change', () => changed(made.value));
  return made;
}

/** Offer other options; one that is open is left alone while they are the same, and what is chosen stays if it can. */
export function setOptions(made: HTMLSelectElement, options: readonly Option[]): void {
  const isSo = ([value, text]: Option, at: number): boolean =>
    made.options[at]?.value === value && made.options[at]?.textContent === text;
  if (options.length !== made.length || !options.every(isSo)) {
    const chosen = made.value;
    made.replaceChildren(...options.map(([value, text]) => element('option', { value }, text)));
    made.value = options.some(([value]) => value === chosen) ? chosen : (options[0]?.[0] ?? '');
  }
}

/** A box to search or filter in; `typed` hears of every letter. */
export function searchBox(label: string, typed: (text: string) => void): HTMLInputElement {
  const made = element('input', { type: 'search', class: 'pj-JobView-input', placeholder: label, 'aria-label': label });
  made.addEventListener('input', () => typed(made.value));
  return made;
}

/** A control with its label in front. */
export function field(label: string, ...controls: HTMLElement[]): HTMLElement {
  return element('label', { class: 'pj-JobView-field' }, label, ...controls);
}
