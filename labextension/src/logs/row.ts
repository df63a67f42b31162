/**
 * One line of a log as an element: its colours, its level, the hits in it, a link where a traceback names the cell, and
 * what to do about a line that is too long. Text is only ever a text node; numbers alone become style.
 */

import { element } from '../parts/dom.js';
import { timeOfDay } from '../text/format.js';
import type { Say } from '../tokens.js';
import { parseAnsi, type StyledSpan } from './ansi.js';
import { levelOf } from './level.js';
import type { Line } from './linecache.js';
import { literal, type Highlighter } from './highlight.js';

export interface RowWords {
  readonly say: Say;
  /** A number for people, "12,431". */
  count(number: number): string;
  /** How many lines of the script stand before the cell's first one; they are of other cells. */
  readonly linesBefore: number;
  /** Show this line of the cell; those before its first one count from 0 down. */
  openLine(line: number): void;
  /** Show this line of the log whole. */
  openWhole(): void;
}

/** What is marked: hits in the text, the row of the current one, and where a traceback names the cell. */
export interface Marks {
  readonly marker: Highlighter | null;
  readonly frame: RegExp | null;
  readonly isHit: boolean;
}

interface Part {
  readonly start: number;
  readonly end: number;
  make(): HTMLElement;
}

/**
 * What an entry of a traceback looks like that lies in the file `script`; null where that is not the cell. The heads of
 * the path are those of a job's folder, as the Python side reads them.
 */
export function frameOf(script: string): RegExp | null {
  const path = `(?:\\./|[^"]{0,400}/(?:usercode|code)/)?${literal(script)}`;
  return script === '' ? null : new RegExp(`File "${path}", line (\\d{1,7})(?!\\d)`);
}

/**
 * Fill `place` with this line; `undefined` is one that is not here yet.
 *
 * Returns how many characters it shows.
 */
export function drawRow(place: HTMLElement, line: Line | undefined, marks: Marks, words: RowWords): number {
  place.className = 'pj-JobView-row';
  place.classList.toggle('pj-JobView-isHit', marks.isHit);
  place.classList.toggle('pj-JobView-isAwaited', line === undefined);
  place.title = line?.time ? new Date(line.time * 1000).toLocaleString() : '';
  place.dataset['time'] = line?.time ? timeOfDay(line.time) : ''; // for the style sheet
  if (line === undefined) {
    place.replaceChildren();
    return 0;
  }
  const spans = parseAnsi(line.text);
  const text = spans.map(span => span.text).join('');
  const level = levelOf(text);
  place.classList.toggle('pj-JobView-isError', level === 'error');
  place.classList.toggle('pj-JobView-isWarning', level === 'warning');
  const parts = partsOf(text, marks, words);
  place.replaceChildren(...(parts.length ? cut(spans, parts) : spans.map(spanElement)));
  if (line.length <= line.text.length) {
    return text.length;
  }
  const length = words.say('… ({count} characters)', { count: words.count(line.length) });
  const whole = logLink(words.say('show whole line'), () => words.openWhole());
  place.append(element('span', { class: 'pj-JobView-clipped' }, ` ${length} `), whole);
  return text.length + length.length + 20;
}

/** The link and the hits, in order, none within another. */
function partsOf(text: string, { marker, frame }: Marks, words: RowWords): Part[] {
  const found = text.includes('File "') ? frame?.exec(text) : null;
  const link = found && linkPart(found, words);
  const hits: Part[] = (marker?.(text) ?? [])
    .filter(([start, end]) => !link || end <= link.start || start >= link.end)
    .map(([start, end]) => ({ start, end, make: () => element('mark') }));
  return link ? [...hits, link].sort((one, other) => one.start - other.start) : hits;
}

function linkPart(frame: RegExpExecArray, words: RowWords): Part {
  const make = (): HTMLElement => {
    const line = Number(frame[1]) - words.linesBefore;
    const made = logLink('', () => words.openLine(line));
    made.title = line > 0 ? words.say('Show line {line} of the cell', { line }) : words.say('Show the source');
    return made;
  };
  return { start: frame.index, end: frame.index + frame[0].length, make };
}

/** A button that reads like the text around it. */
function logLink(text: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'pj-JobView-logLink' }, text);
  made.addEventListener('click', press); // it goes with its row
  return made;
}

/** The spans, with those that lie in a part inside its element. */
function cut(spans: readonly StyledSpan[], parts: readonly Part[]): Node[] {
  const nodes: Node[] = [];
  const rest = [...parts];
  let holder: HTMLElement | null = null;
  let at = 0;
  for (const span of splitAt(
    spans,
    parts.flatMap(({ start, end }) => [start, end])
  )) {
    if (rest[0] && rest[0].end <= at) {
      rest.shift();
      holder = null;
    }
    if (rest[0] && rest[0].start <= at) {
      if (holder === null) {
        holder = rest[0].make();
        nodes.push(holder);
      }
      holder.append(spanElement(span));
    } else {
      nodes.push(spanElement(span));
    }
    at += span.text.length;
  }
  return nodes;
}

/** The spans, cut where these places of the whole text, in order, lie within them. */
function* splitAt(spans: readonly StyledSpan[], places: readonly number[]): Generator<StyledSpan> {
  const rest = [...places];
  let at = 0;
  for (const { text, look } of spans) {
    let begin = 0;
    while (rest[0] !== undefined && rest[0] < at + text.length) {
      const place = (rest.shift() ?? 0) - at;
      if (place > begin) {
        yield { text: text.slice(begin, place), look };
        begin = place;
      }
    }
    yield { text: text.slice(begin), look };
    at += text.length;
  }
}

function spanElement({ text, look }: StyledSpan): Node {
  const [fore, back] = look.inverse ? [look.back ?? 'back', look.fore ?? 'fore'] : [look.fore, look.back];
  const weights = (['bold', 'dim', 'italic', 'underline'] as const).filter(name => look[name]);
  const classes = [...colourClass('Fore', fore), ...colourClass('Back', back), ...weights];
  if (!classes.length) {
    return document.createTextNode(text);
  }
  const made = element('span', { class: classes.map(name => `pj-JobView-${name}`).join(' ') }, text);
  setColour(made, '--pj-ansi-fore', fore);
  setColour(made, '--pj-ansi-back', back);
  return made;
}

/**
 * The class of one of the theme's 16 colours, of its text and background ("fore", "back") where they are swapped, or of
 * a colour that the style sheet takes from the element.
 */
function colourClass(side: 'Fore' | 'Back', colour: number | string | null): string[] {
  return colour === null ? [] : [`ansi${side}-${isOwn(colour) ? 'own' : colour}`];
}

function setColour(made: HTMLElement, property: string, colour: number | string | null): void {
  if (isOwn(colour)) {
    made.style.setProperty(property, String(colour));
  }
}

function isOwn(colour: number | string | null): boolean {
  return String(colour).startsWith('#');
}
