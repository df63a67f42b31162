// @vitest-environment jsdom
import { CommandRegistry } from '@lumino/commands';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { addToLauncher, paletteUpdater } from '../../src/lab/palettecategory.js';
import { addCommands, CommandIDs, type CommandHost } from '../../src/lab/commands.js';
import { jobsSection, type JobsSection } from '../../src/panel/jobs.js';
import { panelSay } from '../../src/panel/translation.js';
import type { Say } from '../../src/tokens.js';
import { fakePanel, FakeList, type FakePanel, jobRow, running } from '../panel/rows.js';
import { turns } from '../turns.js';

let panel: FakePanel;
let section: JobsSection;
let isMade: boolean;
let say: Say;
let done: string[];
let commands: CommandRegistry;
let changed: () => void;

beforeEach(() => {
  panel = fakePanel(new FakeList(jobRow('a'), running('b', { created: 1 })));
  section = jobsSection(panel);
  document.body.append(section.element);
  section.show(true);
  [isMade, say, done] = [true, panelSay('en'), []];
  const host: CommandHost = {
    say: () => say,
    section: () => (isMade ? section : null),
    act: panel.act,
    rows: async ids => ids.map(id => panel.list.rows.get(id) ?? { id }),
    reveal: async () => {
      done.push('reveal');
      return section;
    },
    refresh: () => done.push('refresh'),
    newComponent: async () => void done.push('new component'),
    fail: sentence => done.push(sentence),
    icon: { render: () => undefined }
  };
  commands = new CommandRegistry();
  changed = addCommands(commands, host);
});
afterEach(() => {
  section.dispose();
  document.body.replaceChildren();
});

const text = (): string => section.element.textContent ?? '';

it('are about the jobs that are chosen in the panel', async () => {
  section.choose(['a']);
  await commands.execute(CommandIDs.open);
  expect(panel.act.done).toEqual([['open', 'a']]);
});

it('are about the jobs that they are given', async () => {
  section.choose(['a']);
  await commands.execute(CommandIDs.open, { job: 'x' });
  await commands.execute(CommandIDs.compare, { jobs: ['x', 'y'] });
  expect(panel.act.done).toEqual([
    ['open', 'x'],
    ['compare', ['x', 'y']]
  ]);
});

it.each([CommandIDs.stop, CommandIDs.remove])('%s asks in the panel, whoever gave it', async command => {
  void commands.execute(command, { jobs: [command === CommandIDs.stop ? 'b' : 'a'] });
  await turns();
  expect([done, panel.act.done]).toEqual([['reveal'], []]);
  expect(text()).toMatch(/Stop iris-b\?|Delete iris-a/);
});

it('are enabled where they can succeed', () => {
  const isEnabled = (id: string): boolean => commands.isEnabled(id);
  expect([isEnabled(CommandIDs.open), isEnabled(CommandIDs.stop)]).toEqual([false, false]);
  section.choose(['b']);
  expect([isEnabled(CommandIDs.stop), isEnabled(CommandIDs.remove)]).toEqual([true, false]);
  expect(commands.isEnabled(CommandIDs.rerun, { job: 'x' })).toBe(true);
  isMade = false;
  expect(isEnabled(CommandIDs.stop)).toBe(false);
});

it('say why they were refused, where the panel cannot', async () => {
  panel.act.refusal = 'No notebook is open.';
  await commands.execute(CommandIDs.insertAttach, { job: 'a' });
  expect(done).toEqual(['No notebook is open.']);
});

it.each<[object]>([[{ jobs: [] }], [{ jobs: 'a' }], [{ job: 7 }], [{ jobs: [null, ''] }]])(
  'do nothing about %j',
  async args => {
    await commands.execute(CommandIDs.open, args as never);
    expect(panel.act.done).toEqual([]);
  }
);

it('show and refresh the panel', async () => {
  await commands.execute(CommandIDs.showPanel);
  await commands.execute(CommandIDs.refresh);
  await commands.execute(CommandIDs.newComponent);
  expect(done).toEqual(['reveal', 'refresh', 'new component']);
});

it("speak the user's language once that is known", () => {
  const heard: string[] = [];
  commands.commandChanged.connect((_, { id }) => heard.push(String(id)));
  say = panelSay('zh');
  changed();
  expect(commands.label(CommandIDs.stop)).toBe('停止');
  expect(heard).toContain(CommandIDs.stop);
});

it('has its category in the palette in the language that the server asks for, once it is known', () => {
  const shown: string[] = [];
  const addItem = ({ category = '' }: { category?: string }): { isDisposed: boolean; dispose(): void } => {
    shown.push(category);
    return { isDisposed: false, dispose: () => shown.splice(shown.indexOf(category), 1) };
  };
  const list = paletteUpdater({ addItem }, ['pai-jupyter:refresh'], () => say);
  list();
  list();
  expect(shown).toEqual(['Training jobs']);
  say = panelSay('zh');
  list();
  expect(shown).toEqual(['训练作业']);
});

it('are in the launcher among the others, whatever JupyterLab calls these', () => {
  const items: object[] = [];
  const add = (item: object): { isDisposed: boolean; dispose: () => void } => {
    items.push(item);
    return { isDisposed: false, dispose: () => undefined };
  };
  addToLauncher({ add }, CommandIDs.showPanel);
  expect(items).toEqual([{ command: CommandIDs.showPanel }]); // with a category of its own it is in a second section
});
