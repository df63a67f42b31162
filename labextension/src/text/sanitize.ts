/**
 * Text of a job made fit to be read on one line or in a block: no terminal escapes, no control characters, and none of
 * the letters that turn the direction of what follows, which could make a name read as another.
 *
 * The twin of `pai_jupyter/view/clean.py`; a saved notebook may have been tampered with, so any value may come here.
 */

// Colours and cursor moves (CSI), titles and links (OSC), and the short escapes.
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** `value` where it is text, a number or a truth, without escapes and controls, at most `limit` letters; else ''. */
export function plain(value: unknown, limit = 300): string {
  return block(value, limit).replace(/[\n\t]/g, ' ');
}

/** The same, which may have lines and tabs. */
export function block(value: unknown, limit = 1_000_000): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return '';
  }
  const text = String(value)
    .slice(0, 4 * limit) // a long one is not worth more work
    .replace(/\r\n/g, '\n')
    .replace(ESCAPES, '')
    .replace(CONTROLS, ' ');
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
