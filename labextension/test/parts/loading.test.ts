// @vitest-environment jsdom
import { afterEach, describe, expect, test } from 'vitest';

import { errorText, Loading } from '../../src/parts/loading.js';
import { translator } from '../../src/text/translation.js';
import { eventually } from '../turns.js';

afterEach(() => document.body.replaceChildren());

describe('loading', () => {
  test('the newest question wins', async () => {
    const loading = new Loading(translator('en'));
    let answerFirst = (_: string) => {};
    const first = loading.load(
      () => new Promise<string>(resolve => (answerFirst = resolve)),
      text => [new Text(text)]
    );
    await loading.load(
      async () => 'second',
      text => [new Text(text)]
    );
    answerFirst('first');
    await first;
    expect(loading.element.textContent).toBe('second');
  });

  test('a failure keeps what was there and offers to try again', async () => {
    const loading = new Loading(translator('en'));
    await loading.load(
      async () => 'old',
      text => [new Text(text)]
    );
    let answers = ['new'];
    const ask = async () => {
      const answer = answers.pop();
      if (answers.length === 0 && answer === undefined) {
        throw new Error('It is gone.');
      }
      return answer ?? '';
    };
    answers = [];
    await loading.load(ask, text => [new Text(text)]);
    expect(loading.element.textContent).toBe('It is gone. Try againold');
    answers = ['new'];
    loading.retry();
    await eventually(() => expect(loading.element.textContent).toBe('new'));
  });

  test('an answer after dispose is dropped', async () => {
    const loading = new Loading(translator('en'));
    const asked = loading.load(
      async () => 'late',
      text => [new Text(text)]
    );
    loading.dispose();
    await asked;
    expect(loading.element.textContent).not.toContain('late');
  });

  test('whoever pressed "Try again" keeps the focus in the pane', async () => {
    const loading = new Loading(translator('en'));
    document.body.append(loading.element);
    let isUp = false;
    await loading.load(
      async () => (isUp ? 'up' : Promise.reject(new Error('down'))),
      text => [new Text(text)]
    );
    isUp = true;
    loading.element.querySelector('button')?.focus();
    loading.element.querySelector('button')?.click();
    await eventually(() => expect(loading.element.textContent).toContain('up'));
    expect(loading.element.contains(document.activeElement)).toBe(true);
  });
});

test.each([
  [new Error('Docker does not answer.'), 'Docker does not answer.'],
  [Object.assign(new Error('No place.'), { hint: 'Try later.' }), 'No place. Try later.'],
  ['\x1b[31mtext', 'text'],
  [undefined, '']
])('an error says its sentence: %s', (error, text) => expect(errorText(error)).toBe(text));
