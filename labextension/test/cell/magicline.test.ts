import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { formatLine, parseLine, withoutOuterMagics, TAKES_VALUE, replaceLine } from '../../src/cell/magicline.js';
import { hasBreak, split } from '../../src/cell/shlex.js';

interface Cases {
  options: { option: string; value: string; written: string }[];
  words: { line: string; words: string[] | null }[];
  lines: { line: string; parts: [string, string][] | null }[];
  flags: string[];
  values: string[];
}

const CASES = JSON.parse(
  readFileSync(new URL('../../../tests/data/line_cases.json', import.meta.url), 'utf-8')
) as Cases; // what tests/training/test_line_cases.py reads too

const OWNED: ReadonlySet<string> = new Set(['', 'backend', 'param']);
const partsIn = (line: string) => parseLine(`%%pai_train ${line}\nx = 1`) ?? [];

describe('a line, as Python reads it', () => {
  it.each(CASES.words)('has these words: $line', ({ line, words }) => {
    expect(split(line)?.map(word => word.text) ?? null).toEqual(words);
  });

  it.each(CASES.words.filter(({ words }) => words))('keeps each word as it stands: $line', ({ line }) => {
    expect(
      split(line)
        ?.map(word => word.raw)
        .join(' ')
    ).toBe(line.trim().replace(/ {2}|\t/g, ' '));
  });

  it.each(CASES.lines)('has these parts: $line', ({ line, parts }) => {
    const read = parseLine(`%%pai_train ${line}`);
    expect(read?.map(({ option, value }) => [option, value]) ?? null).toEqual(parts);
  });

  it.each(CASES.options)('is written so: $written', ({ option, value, written }) => {
    expect(formatLine([], OWNED, [{ option, value }], false)).toBe(`%%pai_train ${written}`);
  });

  it('has the options that the magic has', () => {
    const names = [...TAKES_VALUE.keys()];
    expect(names.filter(name => TAKES_VALUE.get(name) === false)).toEqual(CASES.flags);
    expect(names.filter(name => TAKES_VALUE.get(name) === true)).toEqual(CASES.values);
  });

  it.each(['a\nb', 'a\r', '\u2028', '\x85', '\x0b', 'a\x1db'])('cannot hold the line break in %j', text => {
    expect(hasBreak(text)).toBe(true);
  });
});

describe('a new line', () => {
  it('keeps what it does not own, to the letter and in order', () => {
    const parts = partsIn('old --wait  --metric "acc:a=(.*)" --backend docker --env A={secret_free}');
    expect(formatLine(parts, OWNED, [{ option: '', value: 'new' }], false)).toBe(
      '%%pai_train new --wait --metric "acc:a=(.*)" --env A={secret_free}'
    );
  });

  it('leaves a part that has not changed as it stands', () => {
    const parts = partsIn('{name} -p "lr"={lr} -players=3');
    const settings = [
      { option: '', value: '{name}' },
      { option: 'param', value: 'lr={lr}' },
      { option: 'param', value: 'layers=4' }
    ];
    expect(formatLine(parts, OWNED, settings, false)).toBe('%%pai_train {name} -p "lr"={lr} -p layers=4');
  });

  it('quotes what is new, so that it is no variable', () => {
    expect(formatLine([], OWNED, [{ option: '', value: 'a {b}' }], false)).toBe("%%pai_train 'a {''b}'");
  });

  it.each(['--form', '--dry-run', '--lint', '--run'])('runs instead of %s', flag => {
    expect(formatLine(partsIn(`iris ${flag} --wait`), new Set(['']), [{ option: '', value: 'iris' }], true)).toBe(
      '%%pai_train iris --wait --run'
    );
  });

  it('asks as before where it is not to run', () => {
    expect(formatLine(partsIn('--form'), OWNED, [], false)).toBe('%%pai_train --form');
  });
});

describe('a cell', () => {
  it.each([
    ['x = 1\n', '%%pai_train a\nx = 1\n'],
    ['', '%%pai_train a\n'],
    ['%%pai_train\nx = 1', '%%pai_train a\nx = 1'],
    ['%%pai_train old --run', '%%pai_train a'],
    ['\n \n  %%pai_train old\n  x = 1\n%%pai_train not\n', '\n \n  %%pai_train a\n  x = 1\n%%pai_train not\n'],
    ['%%pai_trainer x\n', '%%pai_train a\n%%pai_trainer x\n'],
    ['x = "%%pai_train"\n', '%%pai_train a\nx = "%%pai_train"\n'],
    ['\nx', '%%pai_train a\n\nx'],
    ['%%time\nx\n', '%%time\n%%pai_train a\nx\n'],
    ['%%time\n\n%%capture out\n%%pai_train old\nx', '%%time\n\n%%capture out\n%%pai_train a\nx'],
    ['%%time', '%%pai_train a\n%%time'],
    ['%%timeit\nx', '%%pai_train a\n%%timeit\nx'],
    ['%%bash\n%%pai_train old\n', '%%pai_train a\n%%bash\n%%pai_train old\n']
  ])('gets the line above its script, and keeps the rest: %j', (cell, expected) => {
    expect(replaceLine(cell, '%%pai_train a')).toBe(expected);
  });

  it.each([
    ['%%time\n%%pai_train a\nx', '\n%%pai_train a\nx'],
    ['\n%%capture out\n\n%%time\nx', '\n\n\n\nx'],
    ['%%bash\nx', '%%bash\nx'],
    ['x\n%%time\ny', 'x\n%%time\ny']
  ])('as our magic sees it keeps the numbers of its lines: %j', (cell, expected) => {
    expect(withoutOuterMagics(cell)).toBe(expected);
  });

  it('has the options of the line below other magics', () => {
    expect(parseLine('%%time\n%%pai_train iris\nx')).toEqual([{ option: '', value: 'iris', raw: 'iris' }]);
  });

  it('takes a line with signs that mean something elsewhere', () => {
    expect(replaceLine('%%pai_train\nx', "%%pai_train '$&$1'")).toBe("%%pai_train '$&$1'\nx");
  });

  it('without our magic has no parts', () => {
    expect(parseLine('lr = 1\n%%pai_train a')).toEqual([]);
  });
});
