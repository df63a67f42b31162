/** How wide columns are. */

import { expect, it } from 'vitest';

import { layOut } from '../../src/table/layout.js';
import type { TableColumn } from '../../src/table/protocol.js';
import { NEW_STATE } from '../../src/table/state.js';

function widthOf(title: string, kind: TableColumn['kind'] = 'number', widths = {}): number {
  const all: TableColumn[] = [{ key: 'value:x', title, part: 'value', kind, is_shown: true }];
  return layOut({ ...NEW_STATE, widths }, all, [])[0]?.width ?? 0;
}

it('is as wide as its heading needs, within bounds', () => {
  expect(widthOf('lr')).toBe(100);
  expect(widthOf('learning_rate')).toBeGreaterThan(150);
  expect(widthOf('运行时间', 'seconds')).toBeGreaterThan(110);
  expect(widthOf('x'.repeat(5_000))).toBe(240);
});

it('is as wide as the user has set it', () => {
  expect(widthOf('learning_rate', 'number', { 'value:x': 60 })).toBe(60);
});
