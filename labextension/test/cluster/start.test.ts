// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { JobFileAction } from '../../src/cluster/jobfile.js';
import { startJobFile } from '../../src/cluster/start.js';
import type { SubmitAnswer } from '../../src/panel/protocol.js';
import { turns } from '../turns.js';
import { cluster, ClusterRest, control, FakeForms, fill } from './clusters.js';

let rest: ClusterRest;
let forms: FakeForms;

beforeEach(() => {
  [rest, forms] = [new ClusterRest(), new FakeForms()];
});
afterEach(() => document.body.replaceChildren());

async function begin(
  action: JobFileAction = 'submit',
  language: 'en' | 'zh' = 'en'
): Promise<{ readonly done: Promise<SubmitAnswer | null> }> {
  const done = startJobFile(action, 'work/a.pai.yaml', { language, rest, openForm: forms.open });
  await turns();
  return { done };
}

it('goes at once where there is nothing to ask', async () => {
  rest.clusters = [cluster('lab')];
  const { done } = await begin();
  expect(await done).toEqual({ job: 'j1', name: 'demo', notes: ['a note'] });
  expect([forms.form, rest.heard]).toEqual([null, [['jobfile/submit', { path: 'work/a.pai.yaml', cluster: 'lab' }]]]);
});

it('is simulated without any cluster, by default with its own images', async () => {
  const { done } = await begin('simulate');
  expect([forms.title, forms.choices]).toEqual(['Simulate a.pai.yaml', ['Cancel', 'Simulate']]);
  await forms.press();
  expect((await done)?.job).toBe('j1');
  expect(rest.heard).toEqual([['jobfile/simulate', { path: 'work/a.pai.yaml', images: {} }]]);
});

it('is simulated with local images in place of its own', async () => {
  rest.file = { errors: [], warnings: [], images: ['vzich/poet:tensorflow', 'python:3.11'] };
  const { done } = await begin('simulate');
  fill(forms.element, 'vzich/poet:tensorflow', ' localhost:5000/poet@sha256:' + 'a'.repeat(64));
  await forms.press();
  expect((await done)?.job).toBe('j1');
  const images = { 'vzich/poet:tensorflow': `localhost:5000/poet@sha256:${'a'.repeat(64)}` };
  expect(rest.heard).toEqual([['jobfile/simulate', { path: 'work/a.pai.yaml', images }]]);
});

it.each(['a b', 'Poet', 'a:b:c', '-a', 'a/', 'http://a/b', "a'; echo x", '训练'])(
  'is not simulated with an image %j, which is said at its field',
  async text => {
    const { done } = await begin('simulate');
    fill(forms.element, 'python:3.11', text);
    expect(await forms.press()).toBeNull();
    const field = control(forms.element, 'python:3.11');
    expect([field.getAttribute('aria-invalid'), document.activeElement]).toEqual(['true', field]);
    expect(forms.text).toContain('This is no name of an image, e.g. python:3.11-slim');
    fill(forms.element, 'python:3.11', 'here');
    expect(field.getAttribute('aria-invalid')).toBe('false');
    expect(rest.heard).toEqual([]);
    forms.cancel();
    await done;
  }
);

it.each(['submit', 'simulate'] as const)('with something wrong in it cannot go: %s', async action => {
  rest.clusters = [cluster('lab'), cluster('b')];
  rest.file = { errors: ['`image` is missing. <b>Add it.</b>'], warnings: ['a pipe'], images: [] };
  const { done } = await begin(action);
  expect(forms.text).toContain(`a.pai.yaml is not ${action === 'submit' ? 'submitted' : 'simulated'}.`);
  expect([...forms.element.querySelectorAll('li')].map(item => item.textContent)).toEqual([
    '`image` is missing. <b>Add it.</b>',
    'a pipe'
  ]);
  expect([forms.choices, forms.element.querySelector('input, select, b')]).toEqual([['Close'], null]);
  forms.cancel();
  expect([await done, rest.heard]).toEqual([null, []]);
});

it('that cannot be read says why', async () => {
  rest.refuse('jobfile', 'there is no file.');
  const { done } = await begin();
  expect([forms.text.includes('there is no file.'), forms.choices]).toEqual([true, ['Close']]);
  forms.cancel();
  expect(await done).toBeNull();
});

it('with a warning goes when that has been read, which is not said again', async () => {
  rest.clusters = [cluster('lab')];
  rest.file = { errors: [], warnings: ['a pipe hides a failure'], images: ['python:3.11'] };
  const { done } = await begin();
  expect(forms.text).toContain('a pipe hides a failure');
  expect(forms.text).toContain('Cluster: lab (alice, http://lab.example.org)');
  expect([forms.title, forms.choices]).toEqual(['Submit a.pai.yaml', ['Cancel', 'Submit']]);
  await forms.press();
  expect((await done)?.notes).toEqual(['a note']);
});

it('goes to the one of several clusters that is chosen', async () => {
  rest.clusters = [cluster('lab'), cluster('b')];
  const { done } = await begin();
  expect(control(forms.element, 'Cluster').value).toBe('lab');
  fill(forms.element, 'Cluster', 'b');
  await forms.press();
  expect((await done)?.job).toBe('j1');
  expect(rest.heard).toEqual([['jobfile/submit', { path: 'work/a.pai.yaml', cluster: 'b' }]]);
});

it('without a cluster has the first one described', async () => {
  const { done } = await begin();
  expect(await forms.press()).toBeNull();
  expect(document.activeElement).toBe(control(forms.element, 'Name'));
  for (const [label, text] of Object.entries({ Name: 'lab', Address: ' lab.example.org ', User: 'alice' })) {
    fill(forms.element, label, text);
  }
  fill(forms.element, 'Password', 'hush');
  expect(control(forms.element, 'Password').type).toBe('password');
  expect(forms.element.querySelector('[aria-invalid="true"]')).toBeNull();
  await forms.press();
  expect((await done)?.job).toBe('j1');
  const added = { name: 'lab', address: 'lab.example.org', user: 'alice', password: 'hush', keep: false };
  expect(rest.heard).toEqual([
    ['clusters', added],
    ['jobfile/submit', { path: 'work/a.pai.yaml', cluster: 'lab' }]
  ]);
});

it('asks for the password of a cluster that has none', async () => {
  rest.clusters = [cluster('lab'), cluster('b', { password_in: '' })];
  const { done } = await begin();
  expect(control(forms.element, 'Password')).toBeNull();
  fill(forms.element, 'Cluster', 'b');
  fill(forms.element, 'Password', 'hush');
  control(forms.element, 'keep the password in a file that only you can read').click();
  await forms.press();
  expect((await done)?.job).toBe('j1');
  expect(rest.heard).toEqual([
    ['clusters/login', { name: 'b', password: 'hush', keep: true }],
    ['jobfile/submit', { path: 'work/a.pai.yaml', cluster: 'b' }]
  ]);
});

it('asks for the password again where the cluster has refused it', async () => {
  rest.clusters = [cluster('lab')];
  rest.refuse('jobfile/submit', 'Password is incorrect.', 'AuthError');
  const { done } = await begin();
  expect(forms.text).toContain('Password is incorrect.');
  rest.allow();
  fill(forms.element, 'Password', 'better');
  await forms.press();
  expect((await done)?.job).toBe('j1');
  expect(rest.heard.map(([path]) => path)).toEqual(['jobfile/submit', 'clusters/login', 'jobfile/submit']);
});

it.each([
  [
    'the cluster refused the login of a: Password is incorrect. Give the password again: %pai_openpai cluster add NAME',
    'the cluster refused the login of a: Password is incorrect.'
  ],
  [
    '集群拒绝了登录：Password is incorrect. 请再次给出密码：%pai_openpai cluster add 名称',
    '集群拒绝了登录：Password is incorrect.'
  ],
  ['Type: %pai_openpai cluster add NAME', 'Type: %pai_openpai cluster add NAME']
])('what a magic would be told is not said beside the field for it: %s', async (said, shown) => {
  rest.clusters = [cluster('lab')];
  rest.refuse('jobfile/submit', said, 'AuthError');
  const { done } = await begin();
  expect(forms.element.querySelector('.pj-JobView-formLine [role=alert]')?.textContent).toBe(shown);
  forms.cancel();
  await done;
});

it('stays open with what the server refuses', async () => {
  rest.clusters = [cluster('lab')];
  rest.refuse('jobfile/submit', 'the cluster is full.');
  const { done } = await begin();
  expect(forms.text).toContain('the cluster is full.');
  expect(await forms.press()).toBeNull();
  forms.cancel();
  expect(await done).toBeNull();
});

it('speaks Chinese', async () => {
  const { done } = await begin('submit', 'zh');
  expect([forms.title, forms.choices]).toEqual(['提交 a.pai.yaml', ['取消', '提交']]);
  expect(forms.text).toContain('还没有集群。请添加一个：');
  forms.cancel();
  await done;
  const simulated = await begin('simulate', 'zh');
  expect(forms.text).toContain('代替它运行的本地镜像。留空则保持不变。');
  forms.cancel();
  await simulated.done;
});
