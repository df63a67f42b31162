/**
 * How charts look: style/charts.css says it, and follows the theme; a canvas must be told.
 *
 * Neighbouring lines differ in colour and in dashes, so that also a grey print is readable.
 */

import { Disposables, element } from '../parts/dom.js';

export interface ChartTheme {
  readonly text: string;
  readonly grid: string;
  readonly background: string;
  readonly font: string;
  readonly lines: readonly string[];
}

const COLORS = 8;
const PATTERNS = [
  { dash: [], border: 'solid' },
  { dash: [7, 4], border: 'dashed' },
  { dash: [2, 3], border: 'dotted' }
];

/** The style of line `nth` of those that have the colour of `first`: it has another pattern. */
export function styleVariant(first: number, nth: number): number {
  return first + nth * COLORS;
}

/** The variable of CSS with the colour of line `index`. */
function colorName(index: number): string {
  return `--pj-series-${index % COLORS}`;
}

/** How line `index` is dashed, on a canvas and as a border of CSS. Eight colours: the first 24 lines all differ. */
export function patternOf(index: number): { dash: number[]; border: string } {
  return PATTERNS[index % PATTERNS.length] ?? { dash: [], border: 'solid' };
}

/** A piece of line `index` for a legend; it follows the theme by itself. */
export function swatch(index: number): HTMLElement {
  const made = element('span', { class: 'pj-JobView-swatch' });
  made.style.borderTop = `2px ${patternOf(index).border} var(${colorName(index)})`;
  return made;
}

/** The theme that `element` has now. */
export function readTheme(element: HTMLElement): ChartTheme {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(name).trim() || '#808080'; // there is no style sheet
  return {
    text: read('--pj-text'),
    grid: read('--pj-line'),
    background: read('--pj-back'),
    font: `11px ${style.fontFamily || 'sans-serif'}`,
    lines: Array.from({ length: COLORS }, (_, index) => read(colorName(index)))
  };
}

/** Call `changed` whenever the notebook or the system gets another theme. */
export function watchTheme(changed: () => void): Disposables {
  const watch = new Disposables();
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributeFilter: ['class', 'data-jp-theme-light', 'data-jp-theme-name'] });
  watch.add(() => observer.disconnect());
  if (typeof matchMedia === 'function') {
    const query = matchMedia('(prefers-color-scheme: dark)');
    query.addEventListener('change', changed);
    watch.add(() => query.removeEventListener('change', changed));
  }
  return watch;
}
