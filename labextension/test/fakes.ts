/**
 * A job as a view meets it, with behaviour and no network: it holds lines, files, answers; it can push, wait, refuse.
 *
 *     const source = new FakeSource();
 *     const end = mountJobView(element, source, { host: { language: 'en' } });
 *     source.snapshot();                                    // what a server sends first
 *     source.news({ kind: 'StatusChanged', status: 'succeeded', time: 1060 });
 *     source.go('busy');                                    // requests wait, pushes go on
 *     source.refuse('stop', 'Docker does not answer.');     // until `allow('stop')`
 *     source.answers.environment = () => ({ ok: { command: 'python train.py', replicas: [], note: '' } });
 *
 * `heard` has the requests that were carried out, in order.
 */

import { PushedModel } from '../src/model.js';
import { type Language, translator } from '../src/text/translation.js';
import type {
  Answer,
  Answers,
  Context,
  Failure,
  FilesAnswer,
  Host,
  JobEvent,
  JobFacts,
  JobSource,
  JobStateJson,
  Kind,
  LogWindow,
  OverviewAnswer,
  Push,
  Requests,
  SourceAnswer,
  SourceListener,
  SourceStatus
} from '../src/tokens.js';

export interface Reply<K extends Kind> {
  ok: Answers[K];
  buffers?: ArrayBuffer[];
}
export type Replies = { [K in Kind]: (parameters: Requests[K]) => Reply<K> };
type Unnumbered<P> = P extends Push ? Omit<P, 'seq'> : never;

/** When the fake job was made, in seconds; it began to run two seconds later. */
export const START = 1_000;

export function jobFacts(changes: Partial<JobFacts> = {}): JobFacts {
  return {
    id: '20261121-063000-iris-3fa2c1',
    name: 'iris-3fa2c1',
    backend: 'docker',
    place: 'docker (an image is given)',
    instance_type: 'local',
    instance_count: 1,
    max_run_time: 7_200,
    notebook: 'iris.ipynb',
    created: START,
    folder: '~/.local/state/pai_jupyter/jobs/20261121-063000-iris-3fa2c1',
    replicas: ['worker-0'],
    values: { lr: 0.01, epochs: 50 },
    line: '%%pai_train iris -p lr=0.01 -p epochs=50',
    entry_point: 'train.py',
    ...changes
  };
}

export function runningState(changes: Partial<JobStateJson> = {}): JobStateJson {
  return {
    status: 'running',
    reason: '',
    exit_code: null,
    entered: { queued: START, running: START + 2 },
    phases: [],
    metrics: {},
    first_progress: null,
    progress: null,
    usage: {},
    links: {},
    notices: [],
    ...changes
  };
}

export class FakeSource implements JobSource {
  status: SourceStatus = 'connecting';
  job: string;
  readonly heard: [Kind, unknown][] = [];
  readonly answers: Partial<Replies> = {};
  /** The job's files by channel and path, e.g. `{ model: { 'sub/a.txt': 'text' } }`. */
  readonly files: Record<string, Record<string, string>> = {};
  readonly logs: Record<string, string[]> = { 'worker-0': [] };
  /** Where the browser may download from; null where it may not. */
  address: string | null = null;
  isDisposed = false;
  private readonly refusals = new Map<Kind, string>();
  private readonly listeners = new Set<SourceListener>();
  private waiting: (() => void)[] = [];
  private seq = 0;

  constructor(
    public facts: JobFacts = jobFacts(),
    public state: JobStateJson = runningState()
  ) {
    this.job = facts.id;
  }

  get listenerCount(): number {
    return this.listeners.size;
  }

  listen(listener: SourceListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Answers in a later turn; while the kernel is busy, only once it is free. */
  async request<K extends Kind>(kind: K, parameters: Requests[K]): Promise<Answer<K>> {
    await Promise.resolve();
    if (this.status === 'busy') {
      await new Promise<void>(go => this.waiting.push(go));
    }
    const refusal = this.refusals.get(kind);
    if (refusal !== undefined) {
      throw new Error(refusal);
    }
    this.heard.push([kind, parameters]);
    const { ok, buffers = [] } = this.reply(kind, parameters);
    return { ok, buffers };
  }

  download(): string | null {
    return this.address;
  }

  dispose(): void {
    this.isDisposed = true;
    this.listeners.clear();
  }

  push(push: Unnumbered<Push>, buffers: ArrayBuffer[] = []): void {
    const numbered = { ...push, seq: this.seq++ } as Push;
    for (const listener of [...this.listeners]) {
      listener.push?.(numbered, buffers);
    }
  }

  /** The connection stands, and the server says how the job stands. */
  snapshot(now = START + 30, failure: Failure | null = null): void {
    this.go('live');
    const replica = this.facts.replicas[0] ?? 'worker-0';
    const count = this.logs[replica]?.length ?? 0;
    const tail = this.window(replica, Math.max(0, count - 200), count);
    this.push({ kind: 'snapshot', now, job: this.facts, state: this.state, failure, counts: this.counts(), tail });
  }

  news(...events: JobEvent[]): void {
    this.push({ kind: 'state', now: events.at(-1)?.time ?? START + 30, events });
  }

  print(replica: string, ...lines: string[]): void {
    const log = (this.logs[replica] ??= []);
    log.push(...lines);
    const tail = this.window(replica, log.length - lines.length, log.length);
    this.push({ kind: 'tail', now: START + 30, counts: this.counts(), tail });
  }

  go(status: SourceStatus, message = ''): void {
    this.status = status;
    for (const listener of [...this.listeners]) {
      listener.status?.(status, message);
    }
    if (status !== 'busy') {
      this.waiting.splice(0).forEach(go => go());
    }
  }

  refuse(kind: Kind, message: string): void {
    this.refusals.set(kind, message);
  }

  allow(kind: Kind): void {
    this.refusals.delete(kind);
  }

  count(kind: Kind): number {
    return this.heard.filter(([heard]) => heard === kind).length;
  }

  private reply<K extends Kind>(kind: K, parameters: Requests[K]): Reply<K> {
    const own: Replies = {
      hello: () => ({ ok: { api: 1 } }),
      bye: () => ({ ok: {} }),
      lines: asked => ({ ok: this.lines(asked) }),
      search: asked => this.search(asked),
      points: () => ({ ok: { series: [], notes: [] } }),
      files: asked => this.browse(asked),
      overview: () => ({ ok: NOTHING_RECORDED }),
      changes: () => ({ ok: { size: 0 } }),
      source: () => ({ ok: this.source() }),
      environment: () => ({ ok: { command: 'python train.py', replicas: [], note: '' } }),
      board: () => ({ ok: { state: 'stopped', url: '', note: '' } }),
      stacks: () => ({ ok: { processes: [] } }),
      profile: () => ({
        ok: { state: 'none', elapsed: 0, seconds: 10, samples: 0, frames: [], nodes: [], notes: [] }
      }),
      stop: () => ({ ok: {} }),
      rerun: () => ({ ok: { job: '20261121-064000-iris-77bd00', name: 'iris-77bd00' } })
    };
    return (this.answers[kind] ?? own[kind])(parameters);
  }

  private counts(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.logs).map(([replica, lines]) => [replica, lines.length]));
  }

  private window(replica: string, start: number, stop: number): LogWindow {
    const all = this.logs[replica] ?? [];
    const lines = all.slice(start, stop);
    return {
      replica,
      start,
      lines,
      times: lines.map(() => START),
      clipped: {},
      count: all.length,
      finished: all.length
    };
  }

  private source(): SourceAnswer {
    return {
      cell: '%%pai_train iris\nprint(1)\nraise SystemExit(3)',
      script: '',
      entry_point: 'train.py',
      notebook: 'iris.ipynb',
      package: { digest: 'ab12'.repeat(16), size: 2_048, files: [], is_cut: false },
      values: Object.entries(this.facts.values).map(([name, value]) => ({ name, value }))
    };
  }

  private lines(asked: Requests['lines']): LogWindow {
    if ('numbers' in asked) {
      const all = this.logs[asked.replica] ?? [];
      return { ...this.window(asked.replica, 0, 0), lines: asked.numbers.map(number => all[number] ?? '') };
    }
    return this.window(asked.replica, asked.start, asked.stop);
  }

  private search(asked: Requests['search']): Reply<'search'> {
    const source = asked.regex ? asked.pattern : asked.pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(source, asked.ignore_case ? 'i' : '');
    const all = this.logs[asked.replica] ?? [];
    const found = all.flatMap((line, number) => (number >= (asked.after ?? 0) && pattern.test(line) ? [number] : []));
    const shown = Float64Array.from(found.slice(0, asked.limit ?? 10_000));
    const ok = { count: shown.length, searched: all.length, is_more: found.length > shown.length };
    return { ok, buffers: [shown.buffer] };
  }

  private browse(asked: Requests['files']): Reply<'files'> {
    const { channel, path = '' } = asked as { channel?: string; path?: string };
    if (channel === undefined) {
      const channels = Object.keys(this.files).map(name => ({ name, uri: `output/${name}`, is_open: true, note: '' }));
      return { ok: { kind: 'channels', channels } };
    }
    const held = this.files[channel] ?? {};
    const text = held[path];
    if (text === undefined) {
      return { ok: directory(channel, path, held) };
    }
    const bytes = new TextEncoder().encode(text);
    if ('offset' in asked) {
      const part = bytes.slice(asked.offset, asked.offset + asked.length);
      const ok: Answers['files'] = { kind: 'bytes', channel, path, offset: asked.offset, size: bytes.length };
      return { ok, buffers: [part.buffer] };
    }
    const type = path.endsWith('.json') ? 'json' : 'text';
    const mime = 'text/plain';
    return { ok: { kind: 'preview', channel, path, size: bytes.length, type, mime, text, is_cut: false } };
  }
}

const NOTHING_RECORDED: OverviewAnswer = {
  is_recorded: false,
  note: '',
  code_of: '',
  source: '',
  git: null,
  git_note: '',
  python: null,
  requirements: [],
  images: [],
  outputs: []
};

function directory(channel: string, path: string, held: Record<string, string>): FilesAnswer {
  const within = path === '' ? '' : `${path}/`;
  const names = new Map<string, boolean>();
  for (const file of Object.keys(held).filter(name => name.startsWith(within))) {
    const [first = '', ...rest] = file.slice(within.length).split('/');
    names.set(first, rest.length > 0);
  }
  const entries = [...names].map(([name, is_directory]) => ({
    name,
    is_directory,
    size: held[within + name]?.length ?? 0,
    modified: START
  }));
  return { kind: 'directory', channel, path, entries, is_cut: false };
}

/** What a pane is made from, with a model that hears what the source pushes; `spoken` and `opened` have what it did. */
export interface FakeContext extends Context {
  readonly spoken: string[];
  readonly opened: number[];
}

export function fakeContext(source: FakeSource, host: Partial<Host> & { language?: Language } = {}): FakeContext {
  const [spoken, opened]: [string[], number[]] = [[], []];
  const model = new PushedModel();
  source.listen({ push: push => model.push(push) });
  const language = host.language ?? 'en';
  return {
    source,
    host: { ...host, language },
    model,
    say: translator(language),
    spoken,
    opened,
    openLine: line => opened.push(line),
    openLog: () => undefined,
    openOutput: () => undefined,
    announce: text => spoken.push(text)
  };
}
