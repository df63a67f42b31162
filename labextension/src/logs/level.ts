/**
 * How bad a line is, by the words in it: ERROR as logging writes it, or the name of an exception. For lines on screen;
 * the twin of `pai_jupyter/store/levels.py`, which finds such lines in a whole log.
 *
 * Rule: a word is a whole one, in upper case: "ERRORS: 0" is none. "Error:" is the end of an exception's name, of
 * `ValueError:`, not of `mean Error:`. Where several stand in a line, the worst counts.
 */

const ERROR = /(?:^|[^A-Za-z0-9_])(?:ERROR|CRITICAL|FATAL|Traceback)(?!\w)|[A-Za-z0-9_.]Error:(?!\w)/;
const WARNING = /(?:^|[^A-Za-z0-9_])WARN(?:ING)?(?!\w)|[A-Za-z0-9_.]Warning:(?!\w)/;

/** The level of a line that stands out; null of any other. `text` has no terminal escapes. */
export function levelOf(text: string): 'error' | 'warning' | null {
  return ERROR.test(text) ? 'error' : WARNING.test(text) ? 'warning' : null;
}
