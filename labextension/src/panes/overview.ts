/**
 * The Overview tab: what the job is and how it stands, live; what came of it; and what it was started from, as it was
 * recorded before it began: commit and uncommitted changes, Python, packages, images.
 */

import { directionOf } from '../compare/bestvalue.js';
import { ended, isTerminal, numberOf } from '../events.js';
import { readStatus } from '../head/status.js';
import { copyButton, fillTable, heading, table, textBlock } from '../parts/blocks.js';
import { differenceBlock, gitLines } from '../parts/difflines.js';
import { button, type Child, element, quiet } from '../parts/dom.js';
import { fileName, saveBlob } from '../parts/download.js';
import { Loading } from '../parts/loading.js';
import { bytes, formatValue, moment } from '../text/format.js';
import { readRunLocation } from '../text/runlocation.js';
import { block, plain } from '../text/sanitize.js';
import type { Context, JobStateJson, OverviewAnswer, Pane, Push, Scalar, Status } from '../tokens.js';

type Git = NonNullable<OverviewAnswer['git']>;
const MOST_LINES = 2_000; // of a difference, drawn
const NONE = '–';
const names = new Intl.Collator(undefined, { numeric: true });

export function overviewPane(context: Context): Pane {
  return new OverviewPane(context);
}

class OverviewPane implements Pane {
  readonly element = element('div', { class: 'pj-JobView-overview' });
  readonly #context: Context;
  readonly #loading: Loading;
  readonly #facts: HTMLTableElement;
  readonly #metrics: HTMLTableElement;
  readonly #metricsPart: HTMLElement;
  #origin: { readonly of: string; readonly nodes: Node[] } | null = null;
  #isShown = false;
  #askedFor: Status | null = null;

  constructor(context: Context) {
    this.#context = context;
    const { say } = context;
    this.#loading = new Loading(say);
    this.#facts = table(say('Overview'), [say('Name'), say('Value')], []);
    this.#metrics = table(say('Metrics'), [say('Metric'), say('Last'), say('Best')], [], [1, 2]);
    this.#metricsPart = element('div', {}, heading(say('Metrics')), this.#metrics);
    const id = plain(context.source.job);
    this.element.append(
      heading(id, copyButton(context, id, say('Copy id'))),
      this.#facts,
      this.#metricsPart,
      ...valuesPart(context),
      this.#loading.element
    );
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    if (isShown) {
      this.#draw();
      this.#ask(!isTerminal(readStatus(this.#context.model.state.status))); // its outputs grow
    }
  }

  update(push: Push): void {
    if (push.kind === 'snapshot') {
      this.#loading.retry();
    }
    if (this.#isShown && (push.kind === 'snapshot' || push.kind === 'state')) {
      this.#draw();
      this.#ask(false);
    }
  }

  dispose(): void {
    this.#loading.dispose();
  }

  #draw(): void {
    fillTable(this.#facts, factRows(this.#context));
    const rows = metricRows(this.#context.model.state);
    this.#metricsPart.hidden = !rows.length;
    fillTable(this.#metrics, rows, [1, 2]);
  }

  /** Ask again where the job stands otherwise than when it was asked, or in any case. */
  #ask(inAnyCase: boolean): void {
    const { source, model } = this.#context;
    if ((inAnyCase || this.#askedFor !== model.state.status) && !this.#loading.isBusy) {
      this.#askedFor = model.state.status;
      void this.#loading.load(
        async () => (await source.request('overview', {})).ok,
        answer => this.#parts(answer)
      );
    }
  }

  /** What it was started from does not change: what a reader has opened there stays open. */
  #parts(answer: OverviewAnswer): Node[] {
    const of = JSON.stringify({ ...answer, outputs: [] });
    if (this.#origin?.of !== of) {
      this.#origin = { of, nodes: [...codePart(this.#context, answer), ...pythonPart(this.#context, answer)] };
    }
    return [...outputsPart(this.#context, answer), ...this.#origin.nodes];
  }
}

function factRows({ model: { job, state }, say }: Context): string[][] {
  if (!job) {
    return [];
  }
  const end = ended(state);
  const start = state.entered['running'];
  const { title, reason } = readRunLocation(job.place, say, job.title);
  const rows = [
    [say('Created at'), moment(job.created)],
    [say('Started at'), start === undefined ? '' : moment(start)],
    [say('Ended at'), end === null ? '' : moment(end)],
    [say('Run on'), reason ? `${title} (${reason})` : title],
    [say('Instances'), plain(job.machines ?? `${job.instance_type} ×${job.instance_count}`, 200)],
    [say('Notebook'), plain(job.notebook)],
    [say('Note on the job'), block(job.note, 10_000)]
  ];
  return rows.filter(([, text]) => text);
}

function metricRows({ metrics }: JobStateJson): string[][] {
  const all = Object.entries(metrics).sort(([one], [other]) => names.compare(one, other));
  return all.map(([name, [last, , least, most]]) => {
    const direction = directionOf(name);
    const best = direction === null ? null : direction === 'low' ? least : most;
    return [plain(name, 100), formatValue(numberOf(last), ''), best === null ? NONE : formatValue(numberOf(best), '')];
  });
}

function valuesPart({ model, say }: Context): Node[] {
  const rows = Object.entries(model.job?.values ?? {}).map(([name, value]) => [plain(name, 200), shown(value)]);
  const label = say('Hyperparameters');
  return rows.length ? [heading(label), table(label, [say('Name'), say('Value')], rows)] : [];
}

function shown(value: Scalar): string {
  return value === null ? NONE : plain(value, 2_000);
}

function outputsPart(context: Context, { outputs }: OverviewAnswer): Node[] {
  const { say } = context;
  const rows = outputs.map(({ channel, count, size, is_more, note }): Child[] => {
    const label = plain(channel, 100);
    if (note) {
      return [label, plain(note, 500), ''];
    }
    const texts = [bytes(size), String(count)];
    const [total, files] = is_more
      ? [say('more than {size}', { size: texts[0] ?? '' }), say('more than {count}', { count: texts[1] ?? '' })]
      : texts;
    return [button(label, 'link', () => context.openOutput(channel)), total ?? '', files ?? ''];
  });
  const label = say('Outputs');
  return rows.length ? [heading(label), table(label, [say('Channel'), say('Size'), say('Files')], rows, [1, 2])] : [];
}

function codePart(context: Context, answer: OverviewAnswer): Node[] {
  const { say } = context;
  const { code_of, git, git_note, source } = answer;
  const parts: Node[] = [heading(say('Code'))];
  if (!answer.is_recorded) {
    return [
      ...parts,
      quiet(plain(answer.note, 1_000) || say('Commit, Python and packages were not recorded with this job.'))
    ];
  }
  if (code_of) {
    parts.push(quiet(say('The code is that of job {job}.', { job: plain(code_of, 100) })));
  }
  if (git) {
    return [...parts, ...gitPart(context, git)];
  }
  const why = git_note ? say('Not recorded: {why}', { why: plain(git_note, 500) }) : plain(source, 500);
  return [...parts, quiet(why || say('The code is in no Git repository.'))];
}

function gitPart(context: Context, git: Git): Node[] {
  const { say } = context;
  const commit = plain(git.commit, 64);
  const rows: Child[][] = [
    [
      say('Commit'),
      commit
        ? element('span', {}, commit, ' ', copyButton(context, commit, say('Commit')))
        : say('before the first one')
    ],
    [say('Branch'), plain(git.branch)],
    [say('Repository'), [plain(git.remote, 500), plain(git.root, 500)].filter(Boolean).join(' · ')]
  ];
  const changes = [
    git.changed ? say('{count} changed', { count: git.changed }) : '',
    git.untracked ? say('{count} untracked', { count: git.untracked }) : ''
  ].filter(Boolean);
  const mark = changes.length
    ? `● ${say('Uncommitted changes')}: ${changes.join(', ')}`
    : say('No uncommitted changes');
  return [
    table(
      say('Code'),
      [say('Name'), say('Value')],
      rows.filter(([, text]) => text)
    ),
    ...(git.is_tracked ? [] : [quiet(say("The repository has no file of the code's directory."))]),
    ...(git.root ? [element('p', { class: 'pj-JobView-uncommitted', 'data-changed': changes.length > 0 }, mark)] : []),
    ...(git.diff_note ? [quiet(say('Not recorded: {why}', { why: plain(git.diff_note, 500) }))] : []),
    ...(git.diff ? [new Changes(context, git).element] : [])
  ];
}

/** The difference itself, asked for when it is opened. */
class Changes {
  readonly element: HTMLDetailsElement;
  readonly #context: Context;
  readonly #git: Git;
  readonly #loading: Loading;
  #isAsked = false;

  constructor(context: Context, git: Git) {
    this.#context = context;
    this.#git = git;
    this.#loading = new Loading(context.say);
    const summary = element('summary', {}, `${context.say('Uncommitted changes')} (${bytes(git.diff)})`);
    this.element = element('details', { class: 'pj-JobView-difference' }, summary, this.#loading.element);
    this.element.addEventListener('toggle', () => this.#open());
  }

  #open(): void {
    if (this.element.open && !this.#isAsked) {
      this.#isAsked = true;
      const ask = async (): Promise<ArrayBuffer> => {
        const { buffers } = await this.#context.source.request('changes', {});
        return buffers[0] ?? new ArrayBuffer(0);
      };
      void this.#loading.load(ask, data => this.#draw(data));
    }
  }

  #draw(data: ArrayBuffer): Node[] {
    const { say, model } = this.#context;
    const lines = gitLines(new TextDecoder().decode(data));
    const name = `${fileName(model.job?.name ?? 'job')}.diff`;
    const notes = [
      lines.length > MOST_LINES
        ? say('Showing the first {count} lines. The download has all.', { count: MOST_LINES })
        : this.#git.is_diff_cut
          ? say('The recorded changes end here: there were more than {size}.', { size: '1 MB' })
          : '',
      this.#git.masked
        ? say('{count} secrets are masked as ***, so the changes cannot be applied as they are.', {
            count: this.#git.masked
          })
        : ''
    ];
    const save = button(say('Download'), 'small', () => saveBlob(new Blob([data], { type: 'text/plain' }), name));
    return [
      save,
      differenceBlock(lines.slice(0, MOST_LINES), say('Uncommitted changes'), say),
      ...notes.filter(Boolean).map(quiet)
    ];
  }
}

function pythonPart(context: Context, { is_recorded, python, images, requirements }: OverviewAnswer): Node[] {
  const { say } = context;
  if (!is_recorded) {
    return [];
  }
  const rows = [
    ...(python ? [['Python', `${plain(python.version, 100)} · ${plain(python.executable, 500)}`]] : []),
    ...images.flatMap(({ uri, digest, python: version }) => [
      [say('Image'), plain(uri, 500)],
      [say('Digest'), plain(digest, 200) || say('not known')],
      ...(version ? [['Python', plain(version, 100)]] : [])
    ]),
    ...(requirements.length ? [[say('On top of these'), plain(requirements.join(', '), 2_000)]] : [])
  ];
  const label = say('Python and image');
  const isUnknown = images.length > 0 && images.some(({ python: version }) => !version);
  const lacks = isUnknown ? 'Packages and Python of the image are not known.' : 'Packages of the image are not known.';
  return [
    heading(python && !images.length ? 'Python' : label),
    rows.length ? table(label, [say('Name'), say('Value')], rows) : quiet(say('not known')),
    ...(images.length ? [quiet(say(lacks))] : []),
    ...(python ? [freeze(context, python.packages)] : [])
  ];
}

/** `pip freeze`, folded. */
function freeze(context: Context, packages: readonly string[]): HTMLElement {
  const text = packages.map(line => plain(line, 1_000)).join('\n');
  const count = context.say('{count} packages', { count: packages.length });
  const summary = element('summary', {}, `pip freeze (${count})`);
  return element('details', {}, summary, copyButton(context, text, 'pip freeze'), textBlock(block(text), 'pip freeze'));
}
