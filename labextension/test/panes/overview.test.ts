// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { overviewPane } from '../../src/panes/overview.js';
import type { OverviewAnswer, Pane } from '../../src/tokens.js';
import { gitLines } from '../../src/parts/difflines.js';
import { fakeContext, FakeSource, jobFacts, runningState } from '../fakes.js';
import { eventually } from '../turns.js';

const GIT = {
  root: '/home/me/code',
  commit: '1234567890123456789012345678901234567890',
  branch: 'main',
  remote: 'git@h:a.git',
  changed: 2,
  untracked: 1,
  is_tracked: true,
  diff: 30,
  is_diff_cut: false,
  masked: 0,
  diff_note: ''
};
const ANSWER: OverviewAnswer = {
  is_recorded: true,
  note: '',
  code_of: '',
  source: '',
  git: GIT,
  git_note: '',
  python: { version: '3.11.9', executable: '/bin/python', packages: ['a==1', 'b==2'] },
  requirements: [],
  images: [],
  outputs: [{ channel: 'model', count: 3, size: 2_048, is_more: false, note: '' }]
};

let source: FakeSource;
let pane: Pane | null = null;

function show(answer: Partial<OverviewAnswer> = {}, opened: string[] = []): void {
  source.answers.overview = () => ({ ok: { ...ANSWER, ...answer } });
  const context = { ...fakeContext(source), openOutput: (channel: string) => void opened.push(channel) };
  source.listen({ push: (push, buffers) => pane?.update(push, buffers) });
  source.snapshot();
  pane = overviewPane(context);
  document.body.append(pane.element);
  pane.show(true);
}

const text = (): string => document.body.textContent ?? '';
const says = (wanted: string) => eventually(() => expect(text()).toContain(wanted));
const cells = (label: string) =>
  [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map(row =>
    [...row.children].map(cell => cell.textContent)
  );

beforeEach(() => {
  source = new FakeSource(jobFacts({ values: { lr: 0.1 } }), runningState());
});

afterEach(() => {
  pane?.dispose();
  pane = null;
  document.body.replaceChildren();
});

describe('Overview', () => {
  test('has the job, its values, and metrics with the best where their names tell which is', async () => {
    source.state = runningState({
      metrics: { val_loss: [0.4, 3, 0.2, 0.9, 4], accuracy: [0.7, 3, 0.1, 0.8, 4], lr: [0.1, 3, 0.1, 0.2, 4] }
    });
    show();
    expect(cells('Metrics')).toEqual([
      ['accuracy', '0.7', '0.8'],
      ['lr', '0.1', '–'],
      ['val_loss', '0.4', '0.2']
    ]);
    expect(cells('Hyperparameters')).toEqual([['lr', '0.1']]);
    expect(cells('Overview').map(([name]) => name)).toEqual([
      'Created at',
      'Started at',
      'Run on',
      'Instances',
      'Notebook'
    ]);
    await says('Outputs');
  });

  test('has the note on the job as text, also when it changes', async () => {
    source = new FakeSource(jobFacts({ note: 'a <b>line</b>\nanother' }), runningState());
    show();
    expect(cells('Overview')).toContainEqual(['Note on the job', 'a <b>line</b>\nanother']);
    source.push({ kind: 'state', now: 1_040, labels: { name: 'a', is_starred: false, tags: [], note: '' } });
    await eventually(() => expect(cells('Overview').map(([name]) => name)).not.toContain('Note on the job'));
  });

  test('is live: a metric that comes is there, and the end asks for the outputs again', async () => {
    show();
    await says('2 KB');
    source.news({ kind: 'Metric', name: 'loss', value: 0.5, step: 1, time: 1_040 });
    expect(cells('Metrics')).toEqual([['loss', '0.5', '0.5']]);
    source.answers.overview = () => ({ ok: { ...ANSWER, outputs: [{ ...ANSWER.outputs[0]!, size: 4_096 }] } });
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: 1_060 });
    await says('4 KB');
    expect(cells('Overview').map(([name]) => name)).toContain('Ended at');
  });

  test('marks uncommitted changes, and shows the difference when it is opened', async () => {
    const diff = 'diff --git a/x b/x\n@@ -1 +1 @@\n-lr = 0.1\n+lr = <b>0.2\n';
    source.answers.changes = () => ({ ok: { size: diff.length }, buffers: [new TextEncoder().encode(diff).buffer] });
    show({ git: { ...GIT, masked: 2 } });
    await says('● Uncommitted changes: 2 changed, 1 untracked');
    expect(source.heard.map(([kind]) => kind)).not.toContain('changes');
    const details = document.querySelector<HTMLDetailsElement>('details.pj-JobView-difference')!;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
    await says('2 secrets are masked');
    expect(document.querySelector('del')?.textContent).toBe('− lr = 0.1\n');
    expect(document.querySelector('ins')?.textContent).toBe('+ lr = <b>0.2\n');
  });

  test('what is opened stays open while the job goes on', async () => {
    show();
    await says('pip freeze (2 packages)');
    const details = [...document.querySelectorAll('details')].at(-1)!;
    details.open = true;
    source.news({ kind: 'StatusChanged', status: 'succeeded', time: 1_060 });
    await eventually(() => expect(source.heard.filter(([kind]) => kind === 'overview')).toHaveLength(2));
    await eventually(() => expect(document.querySelector('[aria-busy]')).toBeNull());
    expect(details.isConnected && details.open).toBe(true);
  });

  test('a channel opens the Files tab', async () => {
    const opened: string[] = [];
    show({}, opened);
    await says('2 KB');
    [...document.querySelectorAll('button')].find(one => one.textContent === 'model')?.click();
    expect(opened).toEqual(['model']);
  });

  test('an output that was not counted says why, or that there is more', async () => {
    const one = { channel: 'a', count: 0, size: 0, is_more: false, note: 'it is elsewhere.' };
    show({ outputs: [one, { channel: 'b', count: 10, size: 1_024, is_more: true, note: '' }] });
    await says('it is elsewhere.');
    expect(cells('Outputs')[1]).toEqual(['b', 'more than 1 KB', 'more than 10']);
  });

  test.each<[Partial<OverviewAnswer>, string]>([
    [{ is_recorded: false, git: null, python: null }, 'were not recorded with this job'],
    [{ is_recorded: false, git: null, python: null, note: 'provenance.json is damaged' }, 'provenance.json is damaged'],
    [{ git: null, git_note: 'git took longer than 3 s' }, 'Not recorded: git took longer than 3 s'],
    [{ git: null }, 'The code is in no Git repository.'],
    [{ git: null, source: 'oss://b/code/' }, 'oss://b/code/'],
    [{ code_of: 'j1' }, 'The code is that of job j1.'],
    [{ git: { ...GIT, changed: 0, untracked: 0, diff: 0 } }, 'No uncommitted changes'],
    [{ git: { ...GIT, is_tracked: false } }, "The repository has no file of the code's directory."],
    [{ git: { ...GIT, diff: 0, diff_note: 'git took longer than 3 s' } }, 'Not recorded: git took longer than 3 s'],
    [
      { python: null, images: [{ uri: 'i:1', digest: '', python: '' }] },
      'Packages and Python of the image are not known.'
    ]
  ])('says what is not known: %#', async (answer, sentence) => {
    show(answer);
    await says(sentence);
  });

  test('hostile text stays text', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    show({
      git: { ...GIT, branch: evil, remote: evil, root: evil },
      python: { version: evil, executable: evil, packages: [evil] },
      outputs: [{ channel: evil, count: 1, size: 1, is_more: false, note: '' }]
    });
    await says(evil);
    expect(document.querySelector('img')).toBeNull();
  });
});

test('lines of a difference are read by where they stand: a removed "-- x" is no head', () => {
  const lines = gitLines('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n\\ No newline\n');
  expect(lines.map(({ kind }) => kind)).toEqual(['head', 'head', 'head', 'head', 'gone', 'new', 'same', 'head']);
});
