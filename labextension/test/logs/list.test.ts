// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { RowSource } from '../../src/logs/logrows.js';
import type { Line } from '../../src/logs/linecache.js';
import { LogList } from '../../src/logs/list.js';
import {
  isExact,
  lastPosition,
  MAX_RANGE,
  placeRows,
  positionAt,
  rangeOf,
  rowsFor,
  type ScrollScale,
  scrollTopOf
} from '../../src/logs/scrollscale.js';

const HEIGHT = 18; // of a row, where nothing is laid out
const VIEWPORT = 180;

function scale(count: number): ScrollScale {
  return { count, height: HEIGHT, viewport: VIEWPORT };
}

describe('the scale of the scroll bar', () => {
  it.each([
    [0, 0],
    [1, 18],
    [1_000, 18_000],
    [10_000_000, MAX_RANGE],
    [1_000_000_000, MAX_RANGE]
  ])('of %d rows is %d pixels high', (count, range) => {
    expect(rangeOf(scale(count))).toBe(range);
  });

  it.each([5, 11, 1_000, 444_444])('is exact for %d rows: a pixel is a pixel', count => {
    expect(isExact(scale(count))).toBe(true);
    for (const row of [0, 1, Math.floor(count / 2), Math.max(0, count - 10)].filter(row => row <= count - 10)) {
      expect(scrollTopOf(scale(count), row)).toBeCloseTo(row * HEIGHT, 6);
      expect(positionAt(scale(count), row * HEIGHT)).toBeCloseTo(row, 6);
    }
  });

  it.each([1_000, 444_445, 10_000_000, 123_456_789])('has both ends of %d rows', count => {
    const bottom = rangeOf(scale(count)) - VIEWPORT;
    expect(positionAt(scale(count), 0)).toBe(0);
    expect(positionAt(scale(count), bottom)).toBe(lastPosition(scale(count)));
    expect(scrollTopOf(scale(count), lastPosition(scale(count)))).toBe(bottom);
  });

  it('maps every row of ten million there and back', () => {
    const whole = scale(10_000_000);
    for (let row = 0; row < lastPosition(whole); row += 9_973) {
      expect(positionAt(whole, scrollTopOf(whole, row))).toBeCloseTo(row, 4);
    }
  });

  it('is in order, and reaches every stretch of ten million rows by whole pixels', () => {
    const whole = scale(10_000_000);
    let before = positionAt(whole, 3_999_000);
    for (let top = 3_999_001; top < 4_000_000; top += 1) {
      const position = positionAt(whole, top);
      expect(position).toBeGreaterThan(before);
      expect(position - before).toBeLessThan(23);
      before = position;
    }
  });

  it('stays within the list when it is dragged beyond', () => {
    expect([positionAt(scale(1_000), -50), positionAt(scale(1_000), 1e9)]).toEqual([0, 990]);
    expect(positionAt(scale(3), 50)).toBe(0);
  });
});

describe('placing rows', () => {
  it.each([
    ['from the top', { row: 0, shift: 0 }, { first: 0, last: 11 }],
    ['within a row', { row: 500, shift: 7 }, { first: 500, last: 512 }],
    ['with room above', { row: 500, shift: -40 }, { first: 497, last: 511 }],
    ['at the end', { row: 1_000, shift: 0 }, { first: 989, last: 1_000 }]
  ])('needs few of them %s', (_, anchor, rows) => {
    expect(rowsFor(scale(1_000), anchor)).toEqual(rows);
  });

  it('keeps the anchor where it is, whatever the heights above', () => {
    const placed = placeRows(scale(1_000), 497, [18, 90, 36, ...Array<number>(11).fill(18)], { row: 500, shift: 4 });
    expect(placed).toMatchObject({ offset: -148, anchor: { row: 500, shift: 4 }, isAtEnd: false });
  });

  it('finds the row at the top when the anchor has moved by pixels', () => {
    const placed = placeRows(scale(1_000), 497, [18, 90, 36, ...Array<number>(11).fill(18)], { row: 500, shift: -40 });
    expect(placed.anchor).toEqual({ row: 498, shift: 86 });
  });

  it('leaves no room behind the end, nor above the beginning', () => {
    const end = placeRows(scale(1_000), 989, Array<number>(11).fill(18), { row: 999, shift: 0 });
    expect(end).toMatchObject({ offset: -18, anchor: { row: 990, shift: 0 }, isAtEnd: true });
    const beginning = placeRows(scale(1_000), 0, Array<number>(11).fill(18), { row: 0, shift: -99 });
    expect(beginning).toMatchObject({ offset: 0, anchor: { row: 0, shift: 0 }, isAtEnd: false });
  });

  it('shows a short list from its beginning', () => {
    expect(placeRows(scale(3), 0, [18, 18, 18], { row: 3, shift: 0 })).toMatchObject({ offset: 0, isAtEnd: true });
  });
});

/** Rows that say their number; those in `missing` are not here yet. */
class Numbers implements RowSource {
  readonly wanted: [number, number][] = [];
  readonly missing = new Set<number>();
  private readonly lines = new Map<number, Line>();

  constructor(public count: number) {}

  line(row: number): Line | undefined {
    if (this.missing.has(row)) {
      return undefined;
    }
    const line = this.lines.get(row) ?? { text: `line ${row}`, time: 0, length: 0 };
    this.lines.set(row, line);
    return line;
  }

  want(start: number, stop: number): void {
    this.wanted.push([start, stop]);
  }
}

describe('the list', () => {
  let list: LogList;
  let follows: boolean;
  let draws: number;

  beforeEach(() => {
    Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => VIEWPORT });
    [follows, draws] = [true, 0];
    list = new LogList({
      draw: (element, row, line) => {
        draws += 1;
        element.className = 'row';
        element.textContent = line ? line.text : '…';
        element.dataset['row'] = String(row);
        return line ? line.text.length : 0;
      },
      followed: isFollowing => (follows = isFollowing)
    });
    document.body.append(list.element);
  });

  afterEach(() => {
    list.dispose();
    list.element.remove();
    document.getSelection()?.removeAllRanges();
    Reflect.deleteProperty(HTMLElement.prototype, 'clientHeight');
  });

  async function shown(count: number): Promise<Numbers> {
    const rows = new Numbers(count);
    list.setRows(rows);
    list.show(true);
    await frame();
    return rows;
  }

  function rowsInPage(): HTMLElement[] {
    return [...list.element.querySelectorAll<HTMLElement>('.row')];
  }

  /** The row at the top of the view and how many pixels of it are out of it. */
  function top(): [number, number] {
    let above = Math.abs(Number(/translateY\((-?\d+)px\)/.exec(list.element.innerHTML)?.[1] ?? 0));
    for (const row of rowsInPage()) {
      const height = row.getBoundingClientRect().height || HEIGHT;
      if (above < height) {
        return [Number(row.dataset['row']), above];
      }
      above -= height;
    }
    return [-1, above];
  }

  async function press(key: string): Promise<void> {
    list.element.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
    await frame();
  }

  async function wheel(deltaY: number, deltaMode = 0): Promise<WheelEvent> {
    const event = new WheelEvent('wheel', { deltaY, deltaMode, cancelable: true });
    list.element.dispatchEvent(event);
    await frame();
    return event;
  }

  async function drag(scrollTop: number): Promise<void> {
    list.element.scrollTop = scrollTop;
    list.element.dispatchEvent(new Event('scroll'));
    await frame();
  }

  it('has few rows in the page, in order, at the end of ten million', async () => {
    await shown(10_000_000);
    const numbers = rowsInPage().map(row => Number(row.dataset['row']));
    expect(numbers).toEqual(Array.from({ length: 11 }, (_, index) => 9_999_989 + index));
  });

  it('wants a little more than it shows', async () => {
    const rows = await shown(1_000);
    expect(rows.wanted.at(-1)).toEqual([978, 1_000]);
  });

  it('stays at the end while lines come', async () => {
    const rows = await shown(1_000);
    rows.count = 5_000;
    list.changed();
    await frame();
    expect([top(), list.element.scrollTop]).toEqual([[4_990, 0], 5_000 * HEIGHT - VIEWPORT]);
  });

  it('draws many changes in one frame, and nothing again that has not changed', async () => {
    const rows = await shown(1_000);
    await press('ArrowUp');
    draws = 0;
    for (let count = 1_001; count < 1_100; count += 1) {
      rows.count = count;
      list.changed();
    }
    await frame();
    expect(draws).toBe(0);
  });

  it.each<[string, number[], boolean]>([
    ['ArrowUp', [989, 0], false],
    ['PageUp', [981, 0], false],
    ['Home', [0, 0], false],
    ['ArrowDown', [990, 0], true]
  ])('moves by %s, and follows or not', async (key, place, isFollowing) => {
    await shown(1_000);
    await press(key);
    expect([top(), follows]).toEqual([place, isFollowing]);
  });

  it('follows again when the user comes back to the end', async () => {
    await shown(1_000);
    await press('Home');
    await press('PageDown');
    expect([top(), follows]).toEqual([[9, 0], false]);
    await press('End');
    expect([top(), follows]).toEqual([[990, 0], true]);
  });

  it('does not follow again by itself where that was switched off at the end', async () => {
    const rows = await shown(1_000);
    list.follow(false);
    rows.count = 2_000;
    list.changed();
    await frame();
    expect([top(), follows]).toEqual([[990, 0], false]);
  });

  it('goes where the scroll bar is dragged, in the middle of ten million', async () => {
    await shown(10_000_000);
    await drag((MAX_RANGE - VIEWPORT) / 2);
    expect([top()[0], follows]).toEqual([4_999_995, false]);
  });

  it('moves pixel by pixel with the wheel where a pixel of the bar is many rows', async () => {
    await shown(10_000_000);
    await drag(0);
    const event = await wheel(7);
    expect([top(), event.defaultPrevented]).toEqual([[0, 7], true]);
    await wheel(3, 1);
    expect(top()).toEqual([3, 7]);
    await wheel(-61);
    expect(top()).toEqual([0, 0]);
  });

  it('leaves the wheel to the browser where the bar is exact, and to the page at the ends', async () => {
    await shown(1_000);
    expect((await wheel(-20)).defaultPrevented).toBe(false);
    expect(follows).toBe(false);
    await shown(10_000_000);
    list.follow(true);
    await frame();
    expect((await wheel(20)).defaultPrevented).toBe(false);
  });

  it('stays where it is while lines come, once the user has scrolled up', async () => {
    const rows = await shown(10_000_000);
    await wheel(-500);
    const before = top();
    rows.count = 12_000_000;
    list.changed();
    await frame();
    expect(top()).toEqual(before);
    expect(list.element.scrollTop).toBeLessThan(MAX_RANGE * 0.84);
  });

  it("does not take its own scrolling for the user's", async () => {
    const rows = await shown(1_000);
    rows.count = 2_000;
    list.changed();
    await frame();
    list.element.dispatchEvent(new Event('scroll'));
    await frame();
    expect(follows).toBe(true);
  });

  it("does not take it for a move of the user's that the list has become higher", async () => {
    await shown(1_000);
    Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => VIEWPORT + 26 });
    await drag(list.element.scrollTop - 26);
    expect(follows).toBe(true);
    await drag(list.element.scrollTop - 26);
    expect(follows).toBe(false);
  });

  it('does not take scrolling sideways for a move to the end', async () => {
    await shown(1_000);
    list.follow(false);
    await drag(list.element.scrollTop);
    expect(follows).toBe(false);
  });

  it('brings a row into the middle, and leaves the list alone where it is in view', async () => {
    await shown(10_000_000);
    list.reveal(5_000_000);
    await frame();
    expect([top(), follows]).toEqual([[4_999_995, 9], false]);
    list.reveal(5_000_003);
    await frame();
    expect(top()).toEqual([4_999_995, 9]);
  });

  it('shows what is missing as rows that keep their height', async () => {
    const rows = new Numbers(100);
    rows.missing.add(95);
    list.setRows(rows);
    list.show(true);
    await frame();
    const row = rowsInPage().find(one => one.dataset['row'] === '95');
    expect(row?.textContent).toBe('…');
    rows.missing.clear();
    list.changed();
    await frame();
    expect([row?.textContent, rowsInPage()[0]?.dataset['row']]).toEqual(['line 95', '89']);
  });

  it('does no work while it is hidden, and is right when it is shown again', async () => {
    const rows = await shown(1_000);
    list.show(false);
    rows.wanted.length = draws = 0;
    rows.count = 2_000;
    list.changed();
    await frame();
    expect([rows.wanted.length, draws]).toEqual([0, 0]);
    list.show(true);
    await frame();
    expect(top()).toEqual([1_990, 0]);
  });

  it('does not draw what was to be drawn when it was hidden', async () => {
    const rows = await shown(1_000);
    rows.wanted.length = 0;
    list.changed();
    list.show(false);
    await frame();
    expect(rows.wanted).toEqual([]);
  });

  it('keeps selected text in the page while lines come and the user scrolls', async () => {
    const rows = await shown(1_000);
    const selected = rowsInPage()[3]?.firstChild as Text;
    document.getSelection()?.setBaseAndExtent(selected, 0, selected, 4);
    rows.count = 5_000;
    list.changed();
    await frame();
    expect([top(), list.selectedText()]).toEqual([[990, 0], 'line']);
    await press('PageUp');
    await press('PageUp');
    await press('PageUp');
    expect([top(), list.selectedText(), rowsInPage().length]).toEqual([[963, 0], 'line', 30]);
  });

  it('follows on once nothing is selected', async () => {
    const rows = await shown(1_000);
    const selected = rowsInPage()[3]?.firstChild as Text;
    document.getSelection()?.setBaseAndExtent(selected, 0, selected, 4);
    rows.count = 5_000;
    document.getSelection()?.removeAllRanges();
    list.changed();
    await frame();
    expect(top()).toEqual([4_990, 0]);
  });

  it('keeps the focus when the row that had it goes', async () => {
    await shown(1_000);
    const button = document.createElement('button');
    rowsInPage()[5]?.append(button);
    button.focus();
    await press('Home');
    expect(document.activeElement).toBe(list.element);
  });

  it('ends with its listeners', async () => {
    const rows = await shown(1_000);
    list.dispose();
    rows.wanted.length = 0;
    document.dispatchEvent(new Event('selectionchange'));
    await press('Home');
    expect(rows.wanted).toEqual([]);
  });

  describe('wrapping', () => {
    const original = HTMLElement.prototype.getBoundingClientRect;

    beforeEach(() => {
      HTMLElement.prototype.getBoundingClientRect = function (this: HTMLElement) {
        const row = Number(this.dataset['row'] ?? 0);
        return { height: row % 10 === 5 ? 5 * HEIGHT : HEIGHT, top: 0, bottom: 0 } as DOMRect;
      };
      list.wrap(true);
    });

    afterEach(() => {
      HTMLElement.prototype.getBoundingClientRect = original;
    });

    it('has the last row at the bottom, however high the rows are', async () => {
      await shown(1_000);
      expect(top()).toEqual([994, 0]); // row 995 is as high as five
    });

    it('moves by pixels over rows of any height, and comes back to the same place', async () => {
      await shown(1_000);
      await press('Home');
      await wheel(100);
      await wheel(100);
      expect(top()).toEqual([7, 2]); // rows 0 to 6 are 11 lines high, 198 pixels
      await wheel(-150);
      expect(top()).toEqual([2, 14]);
      await wheel(150);
      expect(top()).toEqual([7, 2]);
    });
  });
});

function frame(): Promise<void> {
  return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}
