// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest';

import { ClusterList } from '../../src/cluster/section.js';
import { eventually } from '../turns.js';
import { cluster, ClusterRest, control, FakeForms, fill } from './clusters.js';

let rest: ClusterRest;
let forms: FakeForms;
let list: Looking;
let changes: number;

class Looking extends ClusterList {
  override look(): Promise<void> {
    return super.look();
  }
}

beforeEach(async () => {
  [rest, forms] = [new ClusterRest(), new FakeForms()];
  rest.clusters = [cluster('lab'), cluster('b', { password_in: '' })];
  changes = 0;
  list = new Looking({ language: 'en', rest, openForm: forms.open, changed: () => (changes += 1) });
  document.body.append(list.element);
  list.show(true);
  await says('lab');
});
afterEach(() => {
  list.dispose();
  document.body.replaceChildren();
});

const cards = (): (string | null)[] => [...list.element.querySelectorAll('li')].map(card => card.textContent);
const says = (text: string): Promise<void> => eventually(() => expect(list.element.textContent).toContain(text));
const press = (label: string): void => {
  const found = [...list.element.querySelectorAll('button')].find(
    one => (one.getAttribute('aria-label') ?? one.textContent) === label
  );
  found?.focus();
  found?.click();
};
const pressed = (): (string | null)[] =>
  [...list.element.querySelectorAll('[aria-pressed="true"]')].map(one => one.getAttribute('aria-label'));

it('says who is where, and whether there is a password', () => {
  expect(cards()).toEqual([
    'lab✓ password in memory, until the server endsalice · http://lab.example.orgUseCheckLog In…Delete',
    'b✗ no passwordalice · http://b.example.orgUseCheckLog In…Delete'
  ]);
  expect(pressed()).toEqual(['Use: lab']);
});

it('a cluster is added', async () => {
  press('Add Cluster…');
  expect(await forms.press()).toBeNull();
  const texts = { Name: 'new', Address: 'new.example.org', User: 'bob', Password: 'hush' };
  Object.entries(texts).forEach(([label, text]) => fill(forms.element, label, text));
  await forms.press();
  await says('bob · new.example.org');
  expect(pressed()).toEqual(['Use: new']);
  expect(list.element.textContent).not.toContain('hush');
  expect(control(forms.element, 'Password').value).toBe('');
  expect(changes).toBe(1);
});

it('a cluster is checked when it was added, and a wrong password is no good news', async () => {
  rest.report = { facts: ['OpenPAI v1.8.0 (Kubernetes)'], problem: 'Password is incorrect.' };
  press('Add Cluster…');
  ['Name', 'Address', 'User', 'Password'].forEach(label => fill(forms.element, label, 'new'));
  await forms.press();
  await says('✗ Password is incorrect.');
  const [first] = list.element.querySelectorAll<HTMLElement>('.pj-Cards-health');
  expect([first?.textContent, first?.dataset['health']]).toEqual([
    '? password in memory, until the server ends',
    'unknown'
  ]);
  rest.report = { facts: ['logged in as new'], problem: '' };
  press('Log In…: new');
  fill(forms.element, 'Password', 'hush');
  await forms.press();
  await says('✓ logged in as new');
  expect([first?.textContent, first?.dataset['health']]).toEqual([
    '✓ password in memory, until the server ends',
    'ready'
  ]);
});

it('an older answer that comes late takes no card away', async () => {
  const late = rest.later();
  const look = list.look();
  press('Use: b');
  await eventually(() => expect(pressed()).toEqual(['Use: b']));
  late([cluster('lab')]);
  await look;
  await eventually(() => expect(pressed()).toEqual(['Use: b']));
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Use: b');
});

it('what is refused is said in the form', async () => {
  rest.refuse('clusters', 'this is no address.');
  press('Add Cluster…');
  ['Name', 'Address', 'User', 'Password'].forEach(label => fill(forms.element, label, 'x'));
  expect(await forms.press()).toBeNull();
  expect(forms.text).toContain('this is no address.');
  forms.cancel();
  expect(cards()).toHaveLength(2);
});

it('the password of a known one is given', async () => {
  press('Log In…: b');
  expect(forms.text).toContain('b (alice, http://b.example.org)');
  fill(forms.element, 'Password', 'hush');
  control(forms.element, 'keep the password in a file that only you can read').click();
  await forms.press();
  await says('✓ password in your file');
});

it('another one is chosen, and the focus stays', async () => {
  press('Use: b');
  await eventually(() => expect(pressed()).toEqual(['Use: b']));
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Use: b');
});

it('is checked: what it answers is said, and what is wrong', async () => {
  press('Check: lab');
  await says('✓ OpenPAI v1.8.0 (Kubernetes) · no HDFS');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Check: lab');
  rest.report = { facts: ['OpenPAI v1.8.0 (Kubernetes)'], problem: 'Password is incorrect. <b>' };
  press('Check: lab');
  await says('✗ Password is incorrect. <b>');
  const report = list.element.querySelector('li [role=status]');
  expect(report?.textContent).toBe('✓ OpenPAI v1.8.0 (Kubernetes)✗ Password is incorrect. <b>');
  rest.refuse('clusters/check', 'there is no cluster.');
  press('Check: b');
  await says('✗ there is no cluster.');
});

it('a report is gone when the address is another one', async () => {
  press('Check: b');
  await says('✓ OpenPAI');
  rest.clusters = rest.clusters.map(each => ({ ...each, address: 'elsewhere' }));
  list.show(true);
  await eventually(() => expect(list.element.textContent).not.toContain('OpenPAI'));
});

it('is deleted when that is meant', async () => {
  press('Delete: lab');
  await says('Delete lab (alice, http://lab.example.org) and its password here?');
  press('Keep');
  expect(cards()).toHaveLength(2);
  press('Delete: lab');
  await eventually(() => expect(list.element.querySelector('.pj-JobView-danger')).not.toBeNull());
  list.element.querySelector<HTMLElement>('.pj-JobView-danger')?.click();
  await eventually(() => expect(cards()).toHaveLength(1));
});

it('an action that is refused says why', async () => {
  rest.refuse('clusters/use', 'there is no cluster.');
  press('Use: b');
  await says('there is no cluster.');
});

it('without forms only the magic adds', () => {
  const bare = new ClusterList({ language: 'en', rest });
  const shown = [...bare.element.querySelectorAll('button')].filter(one => !one.hidden);
  expect(shown.map(one => one.textContent)).toEqual([]);
  bare.dispose();
});
