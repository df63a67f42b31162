/**
 * The words of a magic's line: what `shlex` of Python splits, and what it joins again.
 *
 * The twin of `pai_jupyter/magics/lines.py` and `pai_jupyter/hyperparameters/options.py`; `tests/data/line_cases.json`
 * tests both. A word keeps the text that it stood as: there a `{name}` is a variable of the notebook, which a word that
 * is quoted anew does not know.
 */

/** A word of the line: as it stands there, and as the magic gets it. */
export interface Word {
  readonly raw: string;
  readonly text: string;
}

const WORD = /(?:[^ \t\r\n'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/y;
const PART = /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g;
const SPACE = /[ \t\r\n]*/y;
const BREAK = /[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]/; // where Python's `splitlines` cuts

/** The words of a line; null where a quote is open. */
export function split(line: string): Word[] | null {
  const words: Word[] = [];
  let at = skip(line, 0);
  while (at < line.length) {
    WORD.lastIndex = at;
    const raw = WORD.exec(line)?.[0];
    if (raw === undefined) {
      return null;
    }
    words.push({ raw, text: unquoted(raw) });
    at += raw.length;
    const next = skip(line, at);
    if (next === at && at < line.length) {
      return null; // a quote that is not closed stands in the middle of a word
    }
    at = next;
  }
  return words;
}

function skip(line: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(line)?.[0].length ?? 0);
}

function unquoted(raw: string): string {
  return raw.replace(PART, (_, escaped?: string, single?: string, double?: string) => {
    return escaped ?? single ?? (double ?? '').replace(/\\(["\\])/g, '$1');
  });
}

/** The text as one word, and no `{name}` in it is a variable. */
export function quote(text: string): string {
  const safe = text !== '' && !/[^\w@%+=:,./-]/.test(text);
  const word = safe ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
  return word.replace(/\{(?=[\p{L}\p{N}_])/gu, "{''"); // a brace is always within single quotes
}

/** `--image 'a b'`; behind `long` and `=` where the text would be taken for an option itself. */
export function asOption(flag: string, text: string, long: string): string {
  return text.startsWith('-') ? quote(`${long}=${text}`) : `${flag} ${quote(text)}`;
}

/** Whether the text cannot stand on a line. */
export function hasBreak(text: string): boolean {
  return BREAK.test(text);
}
