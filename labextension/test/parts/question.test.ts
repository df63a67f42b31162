// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { Question } from '../../src/parts/question.js';

let question: Question;
let before: HTMLButtonElement;

const named = (label: string) =>
  [...question.element.querySelectorAll('button')].find(one => one.textContent === label);
const box = () => question.element.querySelector('input') ?? document.createElement('input');
const key = (key: string, more: KeyboardEventInit = {}) => {
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
};

beforeEach(() => {
  question = new Question();
  before = document.createElement('button');
  document.body.append(before, question.element);
  before.focus();
});

afterEach(() => {
  question.dispose();
  document.body.replaceChildren();
});

describe('a choice', () => {
  const ask = () =>
    question.ask('Delete?', [
      ['Delete', true, 'danger'],
      ['Keep', false]
    ]);

  test('is the answer, and the focus goes back', async () => {
    const answer = ask();
    expect(question.isOpen).toBe(true);
    named('Delete')?.focus();
    named('Delete')?.click();
    expect(await answer).toBe(true);
    expect(question.isOpen).toBe(false);
    expect(document.activeElement).toBe(before);
  });

  test('has the focus on the harmless one', () => {
    void ask();
    expect(document.activeElement).toBe(named('Keep'));
  });

  test.each<[string, () => void]>([
    ['Escape', () => key('Escape')],
    ['the end', () => question.dispose()],
    ['a newer question', () => void ask()]
  ])('is the harmless one by %s', async (_, act) => {
    const answer = ask();
    act();
    expect(await answer).toBe(false);
  });
});

describe('a word', () => {
  const ask = () => question.word('Name', ['Make', 'Cancel'], word => (word === 'bad' ? 'Not so.' : ''));

  test.each<[string, () => void]>([
    ['Enter', () => key('Enter')],
    ['the button', () => named('Make')?.click()]
  ])('is answered by %s, without what is around it', async (_, act) => {
    const answer = ask();
    expect(document.activeElement).toBe(box());
    box().value = '  a b ';
    act();
    expect(await answer).toBe('a b');
  });

  test('is answered by an Enter that presses nothing else', () => {
    void ask();
    const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
    box().dispatchEvent(enter);
    expect(enter.defaultPrevented).toBe(true);
  });

  test('that is mistaken is not taken', async () => {
    const answer = ask();
    box().value = 'bad';
    key('Enter');
    expect(question.element.textContent).toContain('Not so.');
    box().value = 'good';
    key('Enter');
    expect(await answer).toBe('good');
  });

  test('that is being spelled is not taken yet', () => {
    void ask();
    box().value = 'xun';
    key('Enter', { isComposing: true });
    expect(question.isOpen).toBe(true);
  });

  test.each<[string, () => void]>([
    ['Escape', () => key('Escape')],
    ['Cancel', () => named('Cancel')?.click()]
  ])('is none by %s', async (_, act) => {
    const answer = ask();
    act();
    expect(await answer).toBeNull();
  });
});
