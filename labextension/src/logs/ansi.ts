/**
 * Terminal escapes in a line, as spans of text with a look. The text is hostile; what comes out is only shown as text.
 *
 * Rule 1: colours and weights (SGR) are understood, all other escapes are dropped: nothing moves, no title, no link. Of
 *         a link (OSC 8) its text remains.
 * Rule 2: each line begins plain. A terminal would carry colours on, but then one line could paint the rest of a log,
 *         and a line in the middle could not be drawn without all before it.
 * Rule 3: work and elements are bounded: after `MAX_SPANS` changes of look the rest of the line has the last one.
 * Rule 4: what cannot be seen is made visible: control characters as their pictures, letters that turn the direction of
 *         text as `[U+202E]`. Two lines that differ look different.
 * Rule 5: colours come from our own tables or from numbers that we checked, never as text from the line.
 */

export const MAX_SPANS = 200;

/** The looks that a class of the style sheet gives; a colour is one of the theme's 16 or `#rrggbb`. */
export interface TextStyle {
  readonly fore: number | string | null;
  readonly back: number | string | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

export interface StyledSpan {
  readonly text: string;
  readonly look: TextStyle;
}

const PLAIN: TextStyle = {
  fore: null,
  back: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false
};

// SGR in the first group; other CSI; strings (OSC, DCS, SOS, PM, APC), but of one that has no end only what opens it,
// or it would hide the rest of the line; short escapes, and a lone ESC.
const ESCAPE = new RegExp(
  '\\x1b\\[([0-9;:]{0,100})m' +
    '|\\x1b\\[[0-?]*[ -/]*[@-~]?' +
    '|\\x1b[\\]PX^_](?:[^\\x07\\x1b]*(?:\\x07|\\x1b\\\\))?' +
    '|\\x1b[ -/]*[0-~]?',
  'g'
);
const UNSEEN = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The spans of a line, in order; their texts joined are what is read. */
export function parseAnsi(line: string): StyledSpan[] {
  if (!line.includes('\x1b')) {
    return [{ text: visible(line), look: PLAIN }];
  }
  const spans: StyledSpan[] = [];
  let look = PLAIN;
  let end = 0;
  let text = '';
  for (const escape of line.matchAll(ESCAPE)) {
    text += line.slice(end, escape.index);
    end = escape.index + escape[0].length;
    const next = escape[1] === undefined || spans.length >= MAX_SPANS ? look : changed(look, escape[1]);
    if (next !== look) {
      pushText(spans, text, look);
      [text, look] = ['', next];
    }
  }
  pushText(spans, text + line.slice(end), look);
  return spans;
}

/** The line without escapes, with all of it visible. */
export function plainText(line: string): string {
  return visible(line.replace(ESCAPE, ''));
}

function pushText(spans: StyledSpan[], text: string, look: TextStyle): void {
  if (text !== '') {
    spans.push({ text: visible(text), look });
  }
}

function visible(text: string): string {
  return text.replace(UNSEEN, letter => {
    const code = letter.charCodeAt(0);
    if (code < 0x20) {
      return String.fromCharCode(0x2400 + code);
    }
    return code === 0x7f ? '\u2421' : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

const ON: Readonly<Record<number, Partial<TextStyle>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { fore: null },
  49: { back: null }
};

/** `look` after one SGR sequence with these parameters, e.g. "1;31" or "38;2;255;0;0". */
function changed(look: TextStyle, parameters: string): TextStyle {
  const parts = parameters.split(';');
  let next: TextStyle = look;
  for (let index = 0; index < parts.length; index += 1) {
    const [code = 0, ...sub] = (parts[index] ?? '').split(':').map(Number);
    if (code === 38 || code === 48) {
      // "38;5;196" takes the parameters behind it; "38:5:196" and "38:2::255:0:0" have them inside.
      const [colour, taken] = sub.length ? [extended(sub, true), 0] : following(parts, index);
      index += taken;
      next = colour === null ? next : { ...next, ...(code === 38 ? { fore: colour } : { back: colour }) };
    } else {
      next = { ...next, ...simple(code, sub[0]) };
    }
  }
  return next;
}

function simple(code: number, sub: number | undefined): Partial<TextStyle> {
  if (code === 4 && sub === 0) {
    return { underline: false };
  }
  const [tens, ones] = [Math.floor(code / 10), code % 10];
  if (ones < 8 && (tens === 3 || tens === 9)) {
    return { fore: tens === 3 ? ones : ones + 8 };
  }
  if (ones < 8 && (tens === 4 || tens === 10)) {
    return { back: tens === 4 ? ones : ones + 8 };
  }
  return ON[code] ?? {};
}

/** The colour that the parameters behind `parts[index]` name, and how many they are. */
function following(parts: readonly string[], index: number): [number | string | null, number] {
  const kind = Number(parts[index + 1]);
  const taken = kind === 5 ? 2 : kind === 2 ? 4 : 1;
  return [extended(parts.slice(index + 1, index + 1 + taken).map(Number), false), taken];
}

/** [5, n] or [2, red, green, blue]; `hasSpace` where [2, colour space, red, green, blue] is usual. */
function extended(numbers: readonly number[], hasSpace: boolean): number | string | null {
  if (numbers[0] === 5) {
    return indexed(numbers[1] ?? -1);
  }
  const rgb = numbers.slice(hasSpace && numbers.length > 4 ? 2 : 1, hasSpace && numbers.length > 4 ? 5 : 4);
  return numbers[0] === 2 && rgb.length === 3 && rgb.every(isByte) ? hex(rgb) : null;
}

/** One of the 256 colours: the 16 of the theme, a cube of 6 x 6 x 6, 24 greys. */
function indexed(index: number): number | string | null {
  if (!isByte(index)) {
    return null;
  }
  if (index < 16) {
    return index;
  }
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return hex([grey, grey, grey]);
  }
  const step = (level: number): number => (level === 0 ? 0 : 55 + 40 * level);
  const cube = index - 16;
  return hex([step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)]);
}

function isByte(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= 255;
}

function hex(rgb: readonly number[]): string {
  return `#${rgb.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}
