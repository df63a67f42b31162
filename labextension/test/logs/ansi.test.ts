// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';

import { type TextStyle, MAX_SPANS, parseAnsi, plainText } from '../../src/logs/ansi.js';
import type { Line } from '../../src/logs/linecache.js';
import { highlighterOf } from '../../src/logs/highlight.js';
import { drawRow, frameOf, type RowWords } from '../../src/logs/row.js';
import { translator } from '../../src/text/translation.js';

const E = '\x1b';

/** The spans as [text, what differs from plain]. */
function spans(line: string): [string, Partial<TextStyle>][] {
  return parseAnsi(line).map(({ text, look }) => {
    const changes = Object.entries(look).filter(([, value]) => value !== null && value !== false);
    return [text, Object.fromEntries(changes)];
  });
}

describe('colours and weights', () => {
  it.each<[string, string, Partial<TextStyle>]>([
    ['one of the eight', '31', { fore: 1 }],
    ['a bright one', '97', { fore: 15 }],
    ['a background', '44', { back: 4 }],
    ['a bright background', '103', { back: 11 }],
    ['several at once', '1;4;32;41', { bold: true, underline: true, fore: 2, back: 1 }],
    ['dim and italic', '2;3', { dim: true, italic: true }],
    ['inverse', '7', { inverse: true }],
    ['one of 256, of the theme', '38;5;9', { fore: 9 }],
    ['one of 256, of the cube', '38;5;208', { fore: '#ff8700' }],
    ['one of 256, a grey', '48;5;244', { back: '#808080' }],
    ['true colour', '38;2;1;200;255', { fore: '#01c8ff' }],
    ['true colour with colons', '38:2::1:200:255', { fore: '#01c8ff' }],
    ['true colour with colons and no colour space', '48:2:1:200:255', { back: '#01c8ff' }],
    ['what follows an extended colour', '38;5;208;1', { fore: '#ff8700', bold: true }],
    ['a curly underline', '4:3', { underline: true }],
    ['a colour that ends', '31;39', {}],
    ['weights that end', '1;2;22', {}],
    ['an underline that ends in the other way', '4;4:0', {}],
    ['all of it ends', '1;31;44;7;0', {}],
    ['an empty parameter, which is 0', '31;', {}],
    ['no parameter, which is 0', '', {}],
    ['an index that is none', '38;5;999', {}],
    ['a colour out of range', '38;2;1;2;256', {}],
    ['a colour that is cut off', '38;2;1', {}],
    ['an unknown number', '31;1234', { fore: 1 }],
    ['hidden text, which is shown', '8', {}]
  ])('%s', (_, parameters, look) => {
    expect(spans(`${E}[${parameters}mtext`)).toEqual([['text', look]]);
  });

  it('change in the middle of a line, and end at its end', () => {
    expect(spans(`a${E}[31mb${E}[1mc${E}[0md`)).toEqual([
      ['a', {}],
      ['b', { fore: 1 }],
      ['c', { fore: 1, bold: true }],
      ['d', {}]
    ]);
    expect(spans('next')).toEqual([['next', {}]]);
  });
});

describe('what a hostile line becomes', () => {
  it.each([
    ['cursor moves', `a${E}[2Jb${E}[10;20Hc${E}[?25ld`, 'abcd'],
    ['a title', `${E}]0;evil\x07text`, 'text'],
    ['a link', `${E}]8;;javascript:alert(1)${E}\\click${E}]8;;${E}\\ me`, 'click me'],
    ['a device control string', `${E}P1$r0m${E}\\text`, 'text'],
    ['a string without an end, which would hide the rest', `a${E}]0;rest of the line`, 'a0;rest of the line'],
    ['a sequence without an end', `a${E}[31`, 'a'],
    ['a lone escape', `a${E}`, 'a'],
    ['two-byte escapes', `a${E}(Bb${E}cc`, 'abc'],
    ['control characters', 'a\x00b\x08c\x7fd', 'a\u2400b\u2408c\u2421d'],
    ['a carriage return that is left', '10%\r20%', '10%\u240d20%'],
    ['8-bit controls', 'a\x9b31mb', 'a[U+009B]31mb'],
    ['letters that turn the direction', 'a\u202Eb\u2066c', 'a[U+202E]b[U+2066]c'],
    ['line separators', 'a\u2028b', 'a[U+2028]b'],
    ['a tab, which stays', 'a\tb', 'a\tb'],
    ['other languages, which stay', '训练 😀 עברית', '训练 😀 עברית'],
    ['markup, which is text', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['nothing', '', '']
  ])('%s', (_, line, text) => {
    expect(
      parseAnsi(line)
        .map(span => span.text)
        .join('')
    ).toBe(text);
    expect(plainText(line)).toBe(text);
  });

  it('a bomb of escapes is bounded, and loses no text', () => {
    const bomb = Array.from({ length: 5_000 }, (_, index) => `${E}[${30 + (index % 8)}mx`).join('');
    expect(parseAnsi(bomb).length).toBeLessThanOrEqual(MAX_SPANS + 1);
    expect(plainText(bomb)).toBe('x'.repeat(5_000));
    expect(
      parseAnsi(bomb)
        .map(span => span.text)
        .join('')
    ).toBe('x'.repeat(5_000));
  });

  it.each([
    ['opened sequences', `${E}[`.repeat(50_000)],
    ['opened strings', `${E}]`.repeat(50_000)],
    ['digits without an end', `${E}[${'1;'.repeat(100_000)}`]
  ])('%s take no time', (_, line) => {
    const begin = performance.now();
    parseAnsi(line);
    expect(performance.now() - begin).toBeLessThan(500);
  });
});

describe('a row', () => {
  const opened: number[] = [];
  let wholes = 0;
  const words: RowWords = {
    say: translator('en'),
    count: String,
    linesBefore: 0,
    openLine: line => opened.push(line),
    openWhole: () => (wholes += 1)
  };

  function row(text: string, pattern = '', length = text.length, script = 'train.py'): HTMLElement {
    const place = document.createElement('div');
    const marker = pattern ? highlighterOf({ pattern, regex: false, ignoreCase: true }) : null;
    const line: Line = { text, time: 0, length };
    drawRow(place, line, { marker, frame: frameOf(script), isHit: false }, words);
    return place;
  }

  it('is text, whatever the line says', () => {
    const place = row(`${E}[31m<script>alert(1)</script>`);
    expect(place.textContent).toBe('<script>alert(1)</script>');
    expect([...place.querySelectorAll('*')].map(node => node.tagName)).toEqual(['SPAN']);
  });

  it('has classes for the colours of the theme, and the others as numbers for the style sheet', () => {
    const [theme, other] = row(`${E}[31;1mred${E}[0;38;2;1;2;3mtrue`).children as unknown as HTMLElement[];
    expect(theme?.className).toBe('pj-JobView-ansiFore-1 pj-JobView-bold');
    expect(other?.className).toBe('pj-JobView-ansiFore-own');
    expect(other?.style.getPropertyValue('--pj-ansi-fore')).toBe('#010203');
  });

  it('swaps text and background where that is asked for', () => {
    expect(row(`${E}[7mplain`).firstElementChild?.className).toBe('pj-JobView-ansiFore-back pj-JobView-ansiBack-fore');
    expect(row(`${E}[7;31mred`).firstElementChild?.className).toBe('pj-JobView-ansiFore-back pj-JobView-ansiBack-1');
  });

  it('marks hits across colours', () => {
    const place = row(`lo${E}[31mss=1 LOSS=2`, 'loss');
    expect([...place.querySelectorAll('mark')].map(mark => mark.textContent)).toEqual(['loss', 'LOSS']);
    expect(place.textContent).toBe('loss=1 LOSS=2');
  });

  it.each([
    ['  File "/ml/usercode/train.py", line 12, in <module>', 12],
    ['  File "train.py", line 3', 3],
    ['  File "./train.py", line 3', 3],
    ['[rank0]:   File "/jobs/x y/ml/code/train.py", line 7, in fit', 7],
    [`  File ${E}[35m"/ml/usercode/train.py"${E}[0m, line ${E}[35m41${E}[0m, in f`, 41]
  ])('links %j to the line of the cell', (text, line) => {
    const place = row(text);
    place.querySelector('button')?.click();
    expect(opened.at(-1)).toBe(line);
    expect(place.textContent).toBe(plainText(text));
  });

  it.each([
    '  File "/usr/lib/python3.11/json/decoder.py", line 355',
    '  File "/ml/usercode/other/train.py", line 3',
    '  File "/ml/usercode/my_train.py", line 3',
    '  File "/ml/usercode/train.py", line 12345678'
  ])('does not link %j', text => {
    expect(row(text).querySelector('button')).toBeNull();
  });

  it.each([
    ['fit.py', '  File "/ml/usercode/fit.py", line 5', true],
    ['sub/训练 (1).py', '  File "/ml/usercode/sub/训练 (1).py", line 5', true],
    ['a.py', '  File "/ml/usercode/aXpy", line 5', false],
    ['fit.py', '  File "/ml/usercode/train.py", line 5', false],
    ['', '  File "/ml/usercode/train.py", line 5', false],
    ['', '  File "", line 5', false]
  ])('of a job whose cell is %j links %j: %s', (script, text, isLink) => {
    expect(row(text, '', text.length, script).querySelector('button') !== null).toBe(isLink);
  });

  it('keeps the link where a hit lies in it, and marks what lies around', () => {
    const place = row('train.py: File "/ml/usercode/train.py", line 12', 'train.py');
    expect(place.querySelectorAll('mark')).toHaveLength(1);
    expect(place.querySelector('button')?.textContent).toBe('File "/ml/usercode/train.py", line 12');
    const across = row('in File "/ml/usercode/train.py", line 12', 'in file');
    expect(across.querySelector('mark')).toBeNull();
    expect(across.querySelector('button')?.textContent).toBe('File "/ml/usercode/train.py", line 12');
  });

  it('says how long a clipped line is, and shows it whole when asked', () => {
    const place = row('x'.repeat(1_000), '', 51_200);
    expect(place.textContent).toContain('… (51200 characters)');
    place.querySelector('button')?.click();
    expect(wholes).toBe(1);
  });
});
