/**
 * Where a search pattern stands in a line that is on screen. The server finds the lines; this only marks what is seen.
 *
 * The server's patterns are Python's, and it has a deadline for them. In the page a pattern could hang everything, so a
 * regular expression is marked only where its work is bounded: no quantified group, no back-reference, at most three
 * quantifiers, on so few characters that these cannot take long; and one that was slow once is not tried again. Others
 * find their lines without marks in them.
 */

export interface LogQuery {
  readonly pattern: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

/** [start, end) of the hits in a text, in order. */
export type Highlighter = (text: string) => [number, number][];

const MAX_MARKS = 100; // in a line
const TOO_SLOW = 30; // milliseconds for a line, of an expression with quantifiers
// Characters that are looked at, by the number of quantifiers: with `q` of them a search takes up to n^(q+1) steps.
const LONGEST = 4_000;
const REACH = [LONGEST, 2_000, 400, 100];

/** What marks the hits of `query`; null where that is not safe, or JavaScript does not know the pattern. */
export function highlighterOf(query: LogQuery): Highlighter | null {
  const source = query.regex ? query.pattern : literal(query.pattern);
  const reach = query.regex ? reachOf(query.pattern) : LONGEST;
  if (query.pattern === '' || reach === undefined) {
    return null;
  }
  try {
    return marker(new RegExp(source, query.ignoreCase ? 'gi' : 'g'), reach);
  } catch {
    return null;
  }
}

/** The expression that finds this text. */
export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function marker(pattern: RegExp, reach: number): Highlighter {
  let isSlow = false;
  return text => {
    if (isSlow) {
      return [];
    }
    const begin = performance.now();
    const found = marked(text.slice(0, reach), pattern);
    isSlow = performance.now() - begin > TOO_SLOW && reach < LONGEST;
    return found;
  };
}

function marked(text: string, pattern: RegExp): [number, number][] {
  const found: [number, number][] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length >= MAX_MARKS) {
      break;
    }
    if (match[0] !== '') {
      found.push([match.index, match.index + match[0].length]);
    }
  }
  return found;
}

/** How many characters of a line the pattern may look at; undefined: none. */
function reachOf(pattern: string): number | undefined {
  if (pattern.length > 200 || /\\[1-9k]/.test(pattern)) {
    return undefined;
  }
  const bare = pattern
    .replace(/\\./gs, 'a') // an escaped letter is a letter
    .replace(/\[\^?\]?[^\]]*\]/g, 'a') // so is a class
    .replace(/\(\?/g, '('); // and this is no quantifier
  const quantifiers = bare.match(/[*+?{]\??/g) ?? [];
  return /\)[*+?{]/.test(bare) ? undefined : REACH[quantifiers.length];
}
