// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';

import {
  activateCell,
  activeCodeCell,
  codeAbove,
  type Cell,
  type NotebookHost,
  foreignLanguage,
  goToCell,
  hasNotebook,
  insertCell,
  isReadOnly,
  openCellLine,
  runCell
} from '../../src/lab/notebook.js';
import { JOB_MIME } from '../../src/lab/payload.js';
import type { JobRow } from '../../src/panel/protocol.js';
import { panelSay } from '../../src/panel/translation.js';

interface FakeNotebook {
  content: { widgets: object[]; activeCellIndex: number };
  outputs: HTMLElement[];
  done: unknown[];
}

/** A notebook of three cells, whose editors write down what is done to them. */
function notebook(): FakeNotebook {
  const done: unknown[] = [];
  const outputs = [0, 1, 2].map(() => document.createElement('div'));
  const widgets = outputs.map((output, index) => {
    const node = document.createElement('div');
    node.append(output);
    const editor = {
      setCursorPosition: (position: unknown) => done.push([index, position]),
      focus: () => done.push([index, 'focus']),
      revealPosition: () => undefined
    };
    return { node, editor, inputHidden: true };
  });
  return { content: { widgets, activeCellIndex: 0 }, outputs, done };
}

let first: FakeNotebook;
let second: FakeNotebook;
const output = (index: number): HTMLElement => second.outputs[index] ?? document.createElement('div');

beforeEach(() => {
  first = notebook();
  second = notebook();
});

const shell = (...widgets: object[]): { widgets: () => object[] } => ({ widgets: () => widgets });

it('lists the code cells above a cell, with the numbers of their executions', () => {
  const made = (type: string, source: string, executionCount: number | null = null): Cell => ({
    node: document.createElement('div'),
    editor: null,
    inputHidden: false,
    model: { type, sharedModel: { getSource: () => source, setSource: () => undefined }, executionCount }
  });
  const cell = made('code', 'train()', 9);
  const widgets = [
    made('markdown', '# Title'),
    made('code', 'import os', 3),
    made('code', 'x'.repeat(200_001), 4),
    made('code', 'def f(): ...', null),
    cell,
    made('code', 'below', 7)
  ];
  const other = { content: { widgets: [made('code', 'elsewhere', 1)] } };
  expect(codeAbove(shell(other, { content: { widgets } }), cell)).toEqual({
    above: ['import os', '', 'def f(): ...'],
    numbers: [3, 4, 0]
  });
  expect(codeAbove(shell(other), cell)).toEqual({ above: [], numbers: [] });
});

it('puts the cursor on the line of the cell that holds the view', () => {
  openCellLine(shell(first, second), output(1), 7);
  expect(second.done).toEqual([
    [1, { line: 6, column: 0 }],
    [1, 'focus']
  ]);
  expect(second.content.activeCellIndex).toBe(1);
  expect(first.done).toEqual([]);
});

it('opens a cell whose source was folded away', () => {
  openCellLine(shell(second), output(2), 1);
  expect(second.content.widgets[2]).toMatchObject({ inputHidden: false });
});

it.each<[string, object]>([
  ['no content', {}],
  ['a content without cells', { content: {} }],
  ['no list of cells', { content: { widgets: 7 } }],
  ['an empty cell', { content: { widgets: [{}] } }],
  ['nothing', { content: null }]
])('passes over a widget with %s', (_, other) => {
  openCellLine(shell(other, second), output(0), 1);
  expect(second.done).toHaveLength(2);
});

it('does nothing where the view is in no cell', () => {
  openCellLine(shell(first, second), document.createElement('div'), 1);
  expect([first.done, second.done]).toEqual([[], []]);
});

/** A cell of a notebook: its source, and the jobs that its outputs show. */
class FakeCell {
  readonly node = document.createElement('div');
  readonly editor = null;
  readonly model;
  inputHidden = false;

  constructor(
    public source: string,
    jobs: string[] = [],
    type = 'code'
  ) {
    const sharedModel = {
      getSource: () => this.source,
      setSource: (text: string) => {
        this.source = text;
      }
    };
    const bundles = jobs.map(id => ({ data: { [JOB_MIME]: { id } } }));
    const outputs = { length: jobs.length, get: (at: number) => bundles[at] ?? { data: {} } };
    this.model = { type, sharedModel, outputs };
  }
}

/** A notebook in a tab, as far as JupyterLab's is used. */
class FakePanel {
  readonly id: string;
  readonly context;
  readonly content;

  constructor(path: string, ...widgets: FakeCell[]) {
    this.id = path;
    this.context = { path, ready: Promise.resolve() };
    const insertCell = (at: number, { source }: { source?: string }): void =>
      void widgets.splice(at, 0, new FakeCell(source ?? ''));
    const model = { sharedModel: { insertCell }, defaultKernelLanguage: '', readOnly: false };
    this.content = {
      widgets,
      model,
      activeCellIndex: 0,
      chosen: 2,
      shown: -1,
      deselectAll: () => {
        this.content.chosen = 0;
      },
      scrollToItem: async (index: number) => {
        this.content.shown = index;
      }
    };
  }

  get sources(): string[] {
    return this.content.widgets.map(cell => cell.source);
  }
}

/** The application: tabs, of which one is in front; the server's files; what was run. */
class FakeDesk implements NotebookHost {
  readonly say = panelSay('en');
  readonly files = new Map<string, FakePanel>();
  readonly ran: string[] = [];
  isStuck = false; // no tab comes to the front
  readonly shell;

  constructor(...tabs: FakePanel[]) {
    const shell = {
      currentWidget: (tabs[0] ?? null) as object | null,
      widgets: () => [{}, ...tabs],
      activateById: (id: string) =>
        void setTimeout(() => {
          shell.currentWidget = this.isStuck ? null : (tabs.find(tab => tab.id === id) ?? null);
        })
    };
    this.shell = shell;
    this.open = async path => {
      const found = this.files.get(path);
      tabs.push(...(found ? [found] : []));
      return found ?? null;
    };
  }

  readonly open: (path: string) => Promise<unknown>;

  async run(): Promise<void> {
    const { currentWidget } = this.shell;
    if (currentWidget instanceof FakePanel) {
      const { content, sources } = currentWidget;
      this.ran.push(`${currentWidget.id}: ${sources[content.activeCellIndex]} (${content.chosen} chosen)`);
    }
  }
}

const rowOf = (changes: Partial<JobRow> = {}): JobRow => ({
  id: 'job-1',
  name: 'iris',
  backend: 'process',
  place: '',
  status: 'running',
  notebook: 'a.ipynb',
  created: 0,
  started: null,
  ended: null,
  progress: null,
  metric: null,
  is_here: true,
  url: '',
  trouble: '',
  ...changes
});
const noCode = (): Promise<string> => Promise.reject(new Error('nobody needs it'));

describe('going to the cell of a job', () => {
  it('finds the one whose output shows it, whatever its notebook is called now', async () => {
    const [one, two] = [
      new FakePanel('a.ipynb', new FakeCell('x')),
      new FakePanel('renamed.ipynb', new FakeCell('x'), new FakeCell('y', ['other', 'job-1']))
    ];
    const desk = new FakeDesk(one, two);
    await goToCell(desk, rowOf(), noCode);
    expect([two.content.activeCellIndex, two.content.shown, one.content.shown]).toEqual([1, 1, -1]);
  });

  it('finds one that has its code where no output shows it', async () => {
    const panel = new FakePanel('sub/a.ipynb', new FakeCell('x'), new FakeCell('%%pai_train\nx = 1\n'));
    await goToCell(new FakeDesk(panel), rowOf(), async () => '%%pai_train\nx = 1');
    expect(panel.content.activeCellIndex).toBe(1);
  });

  it('finds it below other magics', async () => {
    const panel = new FakePanel('a.ipynb', new FakeCell('x'), new FakeCell('%%time\n%%pai_train\nx = 1'));
    await goToCell(new FakeDesk(panel), rowOf(), async () => '%%pai_train\nx = 1\n');
    expect(panel.content.activeCellIndex).toBe(1);
  });

  it('opens the notebook', async () => {
    const desk = new FakeDesk();
    const panel = new FakePanel('a.ipynb', new FakeCell('x'), new FakeCell('y', ['job-1']));
    desk.files.set('a.ipynb', panel);
    await goToCell(desk, rowOf(), noCode);
    expect(panel.content.shown).toBe(1);
  });

  it.each<[string, JobRow, string]>([
    ['the notebook is not there', rowOf({ notebook: 'gone.ipynb' }), 'gone.ipynb is outside'],
    ['the cell is gone', rowOf(), 'No cell of a.ipynb contains this job any more.'],
    ['there never was one', rowOf({ notebook: null }), 'This job was not started in a notebook.']
  ])('says so where %s', async (_, row, sentence) => {
    const desk = new FakeDesk(new FakePanel('a.ipynb', new FakeCell(''), new FakeCell('x')));
    await expect(goToCell(desk, row, async () => '')).rejects.toThrow(sentence);
  });
});

describe('a new cell', () => {
  it('comes below the active one, and is the active one then', async () => {
    const panel = new FakePanel('a.ipynb', new FakeCell('x'), new FakeCell('y'));
    const desk = new FakeDesk(panel);
    await insertCell(desk, 'new\n\n');
    expect([panel.sources, panel.content.activeCellIndex, desk.ran]).toEqual([['x', 'new\n', 'y'], 1, []]);
  });

  it('is run, and no other that was chosen', async () => {
    const desk = new FakeDesk(new FakePanel('a.ipynb', new FakeCell('x')));
    await insertCell(desk, '%pai_attach job-1', true);
    expect(desk.ran).toEqual(['a.ipynb: %pai_attach job-1 (0 chosen)']);
  });

  it('comes into a notebook that is not in front, once it is', async () => {
    const [one, two] = [new FakePanel('a.ipynb', new FakeCell('x')), new FakePanel('b.ipynb')];
    const desk = new FakeDesk(one, two);
    desk.shell.currentWidget = {};
    await insertCell(desk, 'new', true);
    expect(desk.ran).toEqual(['a.ipynb: new (0 chosen)']);
  });

  it('is not made where no notebook is open', async () => {
    const refused = 'No Python notebook is open. Open one, then try again.';
    await expect(insertCell(new FakeDesk(), 'new')).rejects.toThrow(refused);
  });

  it('comes into no notebook of another language', async () => {
    const [other, python] = [new FakePanel('r.ipynb', new FakeCell('x')), new FakePanel('a.ipynb')];
    other.content.model.defaultKernelLanguage = 'R';
    python.content.model.defaultKernelLanguage = 'python';
    await insertCell(new FakeDesk(other, python), 'new');
    expect([other.sources, python.sources]).toEqual([['x'], ['new']]);
  });

  it('is not made where the notebook stays behind', async () => {
    const panel = new FakePanel('a.ipynb', new FakeCell('x'));
    const desk = new FakeDesk(panel);
    [desk.isStuck, desk.shell.currentWidget] = [true, {}];
    vi.useFakeTimers();
    const refused = expect(insertCell(desk, 'new', true)).rejects.toThrow('Could not switch to the notebook.');
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    vi.useRealTimers();
    expect([panel.sources, desk.ran]).toEqual([['x'], []]);
  });
});

describe('the cell to be run', () => {
  it('is the active one of the notebook in front, where it is code', () => {
    const code = new FakeCell('x');
    const panel = new FakePanel('a.ipynb', code, new FakeCell('# y', [], 'markdown'));
    const { shell } = new FakeDesk(panel);
    expect([activeCodeCell(shell), hasNotebook(shell)]).toEqual([code, true]);
    panel.content.activeCellIndex = 1;
    expect(activeCodeCell(shell)).toBeNull();
    shell.currentWidget = { content: { widgets: [] } }; // something else with widgets
    expect([activeCodeCell(shell), hasNotebook(shell)]).toEqual([null, false]);
  });

  it('is none while the active one is disposed, and has no model any more', () => {
    const cell = new FakeCell('x');
    const { shell } = new FakeDesk(new FakePanel('a.ipynb', cell));
    Object.assign(cell, { model: null });
    expect(activeCodeCell(shell)).toBeNull();
  });

  it('becomes the active one when it is pointed at', () => {
    const [one, two] = [new FakeCell('x'), new FakeCell('y')];
    const { shell } = new FakeDesk(new FakePanel('a.ipynb', one, two));
    activateCell(shell, two.node);
    activateCell(shell, document.createElement('div'));
    expect(activeCodeCell(shell)).toBe(two);
  });

  it('is run, not the one that is active by now', async () => {
    const [one, two] = [new FakeCell('x'), new FakeCell('y')];
    const panel = new FakePanel('a.ipynb', one, two);
    const desk = new FakeDesk(panel);
    await runCell(desk, two);
    await runCell(desk, new FakeCell('deleted meanwhile'));
    expect(desk.ran).toEqual(['a.ipynb: y (0 chosen)']);
  });

  it.each([
    ['R', 'R'],
    ['julia', 'julia'],
    ['python', ''],
    ['ipython3', ''],
    ['Python', ''],
    ['', '']
  ])('lies in a notebook of %j, which is foreign as %j', (language, expected) => {
    const panel = new FakePanel('a.ipynb', new FakeCell('x'));
    panel.content.model.defaultKernelLanguage = language;
    expect(foreignLanguage(new FakeDesk(panel).shell)).toBe(expected);
  });

  it('lies in a notebook that can be written or not', () => {
    const panel = new FakePanel('a.ipynb', new FakeCell('x'));
    const { shell } = new FakeDesk(panel);
    expect(isReadOnly(shell)).toBe(false);
    panel.content.model.readOnly = true;
    expect(isReadOnly(shell)).toBe(true);
  });
});
