// @vitest-environment jsdom
import { Signal } from '@lumino/signaling';
import { describe, expect, it } from 'vitest';

import { markForms } from '../../src/lab/forms.js';

interface Message {
  header: { session: string };
}
interface Change {
  oldValue?: { id: string } | null;
  newValue?: { id: string } | null;
}

function notebook() {
  const source = {};
  const [statusChanged, kernelChanged] = [new Signal<object, string>(source), new Signal<object, Change>(source)];
  const iopubMessage = new Signal<object, Message>(source);
  const cell = document.createElement('div'); // out of sight, JupyterLab takes cells out of the page
  const add = (): HTMLElement => {
    const form = document.createElement('div');
    form.className = 'widget-vbox pj-Form';
    cell.append(form);
    return form;
  };
  const watching = markForms({ statusChanged, kernelChanged, iopubMessage }, () => [cell]);
  const speaks = (session: string): void => iopubMessage.emit({ header: { session } });
  return { add, watching, speaks, says: (status: string) => statusChanged.emit(status), changes: kernelChanged };
}

const isMarked = (form: HTMLElement): boolean => form.classList.contains('pj-mod-noKernel');

describe('a form', () => {
  it.each(['restarting', 'autorestarting', 'dead', 'terminating'])('is marked when its kernel is %s', status => {
    const { add, says } = notebook();
    const form = add();
    says(status);
    expect(isMarked(form)).toBe(true);
  });

  it.each(['idle', 'busy', 'starting', 'unknown'])('is left alone when its kernel is %s', status => {
    const { add, says } = notebook();
    const form = add();
    says(status);
    expect(isMarked(form)).toBe(false);
  });

  it('is marked when another kernel takes the place of its own, or none', () => {
    for (const newValue of [{ id: 'b' }, null]) {
      const { add, changes } = notebook();
      const form = add();
      changes.emit({ oldValue: { id: 'a' }, newValue });
      expect(isMarked(form)).toBe(true);
    }
  });

  it('is marked when another process of its kernel speaks: it was restarted elsewhere', () => {
    const { add, speaks } = notebook();
    speaks('a');
    const first = add();
    speaks('a');
    expect(isMarked(first)).toBe(false);
    speaks('b');
    const second = add();
    speaks('b');
    expect([isMarked(first), isMarked(second)]).toEqual([true, false]);
  });

  it('is left alone when the page finds its kernel', () => {
    const { add, changes } = notebook();
    const form = add();
    changes.emit({ oldValue: null, newValue: { id: 'a' } });
    changes.emit({ oldValue: { id: 'a' }, newValue: { id: 'a' } });
    expect(isMarked(form)).toBe(false);
  });

  it('of the next kernel is not marked', () => {
    const { add, says } = notebook();
    says('restarting');
    expect(isMarked(add())).toBe(false);
  });

  it('is left alone when its notebook has been closed', () => {
    const { add, says, watching } = notebook();
    const form = add();
    watching.dispose();
    says('dead');
    expect(isMarked(form)).toBe(false);
  });
});
