// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { boardAddress, boardsSection } from '../../src/panel/boards.js';
import type { Section } from '../../src/panel/section.js';
import { eventually } from '../turns.js';
import { board, type FakeBasics, fakeBasics } from './fakerest.js';

let context: FakeBasics;
let section: Section;

const text = () => section.element.textContent ?? '';
const says = (what: string) => eventually(() => expect(text()).toContain(what));
const rows = () => [...section.element.querySelectorAll('li')];
const named = (label: string) =>
  [...section.element.querySelectorAll('button')].find(one => (one.ariaLabel ?? one.textContent) === label);

beforeEach(() => {
  context = fakeBasics();
  section = boardsSection(context);
  document.body.append(section.element);
});

afterEach(() => {
  section.dispose();
  document.body.replaceChildren();
  vi.useRealTimers();
});

function show(...boards: ReturnType<typeof board>[]): void {
  context.rest.boards.push(...boards);
  section.show(true);
}

test('nothing is asked before the section is shown', async () => {
  context.rest.boards.push(board());
  await Promise.resolve();
  expect(context.rest.heard).toEqual([]);
});

test('a board has its name, state, place and what it shows', async () => {
  show(board(), board({ id: 'b2', name: 'eda', where: 'pai', state: 'starting', url: '', shows: 'oss://b/logs/' }));
  await says('eda');
  expect(rows().map(row => row.textContent)).toEqual([
    'irisrunning · this machineOpenStop~/jobs/iris/logs',
    'edastarting · PAIOpenStoposs://b/logs/'
  ]);
});

test('those on PAI are counted against their limit', async () => {
  context.rest.limit = 5;
  show(board(), board({ id: 'b2', where: 'pai' }), board({ id: 'b3', where: 'pai', state: 'stopped' }));
  await says('1 of 5 on PAI');
});

test('what rehearses PAI is not called so', async () => {
  Object.assign(context.rest, { limit: 5, is_emulator: true });
  show(board({ id: 'b2', where: 'pai' }));
  await says('1 of 5 on the emulator');
  await says('running · emulator');
});

test('with none, it says how to come by one', async () => {
  show();
  await says('No TensorBoard is running.');
});

test('what could not be listed is said', async () => {
  context.rest.notes = ['PAI does not answer.'];
  show(board());
  await says('PAI does not answer.');
});

test('a running board opens in a tab that knows nothing of this page', async () => {
  show(board());
  await says('iris');
  const link = section.element.querySelector('a');
  expect([link?.target, link?.rel, link?.hidden]).toEqual(['_blank', 'noopener noreferrer', false]);
  expect(link?.href).toBe(new URL('/proxy/6006/', document.baseURI).href);
});

test.each<[Partial<ReturnType<typeof board>>, string | null]>([
  [{ url: 'https://tb.example/a' }, 'https://tb.example/a'],
  [{ url: '/proxy/6006/' }, 'http://localhost:3000/proxy/6006/'],
  [{ url: '' }, null],
  [{ url: 'javascript:alert(1)' }, null],
  [{ url: 'data:text/html,x' }, null],
  [{ url: 'http://[' }, null],
  [{ url: '/proxy/6006/', state: 'starting' }, null]
])('the address of a board that is %j is %j', (changes, address) => {
  expect(boardAddress(board(changes))).toBe(address);
});

describe('Stop', () => {
  beforeEach(async () => {
    show(board({ id: 'a/b c', name: 'iris' }));
    await says('iris');
    named('Stop: iris')?.focus();
    named('Stop: iris')?.click();
  });

  test('asks first, with the focus on the harmless answer', () => {
    expect(text()).toContain('Stop TensorBoard iris?');
    expect(document.activeElement?.textContent).toBe('Keep running');
    expect(context.rest.count('DELETE')).toBe(0);
  });

  test('stops it, and the list is without it', async () => {
    named('Stop')?.click();
    await says('No TensorBoard is running.');
    expect(context.rest.heard).toContain('DELETE tensorboards/a%2Fb%20c');
  });

  test('leaves it where one says so, and the focus goes back', () => {
    named('Keep running')?.click();
    expect(context.rest.count('DELETE')).toBe(0);
    expect(document.activeElement).toBe(named('Stop: iris'));
  });

  test('that fails says why', async () => {
    context.rest.refuse('tensorboards/a%2Fb%20c', 'It is not yours.');
    named('Stop')?.click();
    await says('It is not yours.');
    expect(rows()).toHaveLength(1);
  });
});

describe('a new board', () => {
  const type = (address: string) => {
    const box = section.element.querySelector('input');
    if (box) {
      box.value = address;
    }
    named('New board')?.click();
  };

  test('is over the address typed in', async () => {
    show();
    await says('No TensorBoard is running.');
    type(' oss://b/训练 logs/ ');
    await says('oss://b/训练 logs/');
    expect(rows()).toHaveLength(1);
    expect(section.element.querySelector('input')?.value).toBe('');
    expect(context.spoken).toEqual(['TensorBoard is starting…']);
  });

  test('that is refused keeps the address, and says why', async () => {
    show();
    await says('No TensorBoard is running.');
    context.rest.refuse('tensorboards', 'All five are taken.');
    type('x');
    await says('All five are taken.');
    expect(section.element.querySelector('input')?.value).toBe('x');
  });

  test('needs an address', async () => {
    show();
    await says('No TensorBoard is running.');
    type('  ');
    expect(context.rest.count('POST')).toBe(0);
    expect(document.activeElement).toBe(section.element.querySelector('input'));
  });
});

describe('while a board starts', () => {
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  beforeEach(async () => {
    vi.useFakeTimers();
    show(board({ state: 'starting', url: '' }));
    await pass(0);
  });

  test('it is asked for again, less and less often', async () => {
    const counts = [];
    for (const pause of [1_000, 2_000, 4_000]) {
      await pass(pause);
      counts.push(context.rest.count('GET'));
    }
    expect(counts).toEqual([2, 3, 4]);
  });

  test('and no more once it runs', async () => {
    context.rest.boards.splice(0, 1, board());
    await pass(1_000);
    const count = context.rest.count('GET');
    await pass(60_000);
    expect(context.rest.count('GET')).toBe(count);
  });

  test.each<[string, () => void]>([
    ['hidden', () => section.show(false)],
    ['gone', () => section.dispose()]
  ])('and not while the section is %s', async (_, act) => {
    act();
    await pass(60_000);
    expect(context.rest.count('GET')).toBe(1);
  });

  test('and not by an answer that comes when nobody looks any more', async () => {
    const go = context.rest.hold('tensorboards');
    await pass(1_000);
    section.show(false);
    go();
    await pass(60_000);
    expect(context.rest.count('GET')).toBe(2);
  });

  test('its row stays, with the focus that is in it', async () => {
    named('Stop: iris')?.focus();
    context.rest.boards.unshift(board({ id: 'b0', name: 'other' }));
    await pass(1_000);
    expect(rows()).toHaveLength(2);
    expect(document.activeElement).toBe(named('Stop: iris'));
  });
});

test('names and what is shown are text', async () => {
  show(board({ name: '<img src=x onerror=alert(1)>\u202e', shows: '<b>x</b>\n\u001b[31m' }));
  await says('<img src=x');
  expect(section.element.querySelector('img, b')).toBeNull();
  expect(text()).not.toMatch(/[\u202e\u001b]/);
});
