/**
 * Interfaces: what a view asks of a job, what it is told, and what it needs of its host. Types only, no code.
 *
 * The wire format is the same on our WebSocket, on a comm and over REST. What is asked and answered is declared in
 * Python, in `pai_jupyter/wire/schema`, and generated from there: `wire/schema.ts`.
 *
 *   request   {id, kind, job, view?, ...}                  one of `Requests`
 *   answer    {id, ok: ...} | {id, error: {type, message, hint}}      one of `Answers`, binary parts behind it
 *   push      {view, kind, seq, ...}                       one of `Push`; a gap in `seq` asks for `hello` again
 *
 * Rule 1: times are seconds since the epoch, UTC. Lines count from 0. A number that JSON lacks is "nan", "inf" or
 *   "-inf".
 * Rule 2: every text is hostile: it may hold markup, terminal escapes, anything. It is only ever shown as text.
 * Rule 3: a line is clipped at 1,000 characters; `lines` for a single line gives it whole.
 */

import type {
  Answers,
  Failure,
  JobFacts,
  JobState as JobStateJson,
  PointsNews,
  Requests,
  Snapshot,
  StateNews,
  TailNews
} from './wire/schema.js';

export type {
  Answers,
  BoardAnswer,
  Channel,
  EnvironmentAnswer,
  Failure,
  FileEntry,
  FilesAnswer,
  Frame as StackFrame,
  JobEvent,
  JobFacts,
  JobState as JobStateJson,
  JsonNumber,
  Level,
  LogWindow,
  OverviewAnswer,
  Phase,
  PointsNews,
  Process as ProcessStacks,
  ProfileAnswer,
  RanWith,
  ReplicaState,
  Requests,
  SavedJob,
  Scalar,
  Series,
  Snapshot,
  SourceAnswer,
  StateNews,
  Status,
  TailNews,
  Thread as ThreadStack,
  WireError
} from './wire/schema.js';

export type Kind = keyof Requests;

export type Push = (Snapshot | StateNews | TailNews | PointsNews) & { seq: number };

export interface Answer<K extends Kind> {
  ok: Answers[K];
  buffers: ArrayBuffer[];
}

/** How a source stands: `busy` means that requests wait for the kernel while pushes go on. */
export type SourceStatus = 'connecting' | 'live' | 'busy' | 'offline';

/** Where a view gets its data. Rejects with an `Error` whose message is the sentence for the user. */
export interface JobSource {
  readonly job: string;
  readonly status: SourceStatus;
  request<K extends Kind>(kind: K, parameters: Requests[K]): Promise<Answer<K>>;
  /** Hear of pushes and of changes of `status`; returns the function that ends this. */
  listen(listener: SourceListener): () => void;
  /** An address for the browser's own download; null where bytes must be asked for with `files`. */
  download(what: { log: string } | { channel: string; path: string } | { package: true }): string | null;
  dispose(): void;
}

export interface SourceListener {
  push?(push: Push, buffers: ArrayBuffer[]): void;
  status?(status: SourceStatus, message: string): void;
}

/** What the surroundings can do for a view; what is absent is not offered. */
export interface Host {
  readonly language: 'en' | 'zh';
  /** Put the cursor on this line (from 1) of the cell that the view belongs to. */
  openCellLine?(line: number): void;
  openFolder?(path: string): void;
  /** Show this job in a tab of its own. */
  openTab?(job: string): void;
  /** Show this job in a browser tab of its own. */
  openPage?(job: string): void;
  /** Show a job that was started from this view. */
  openJob?(job: string): void;
  /** Show the form of a rerun of this job. */
  openRerun?(job: string): void;
  /** Load what shows the stacks of a running job; hosts that cannot load code do not offer them. */
  loadStacks?(): Promise<(context: Context) => StacksPart>;
}

/** What the processes of a job do right now. */
export interface StacksPart {
  readonly element: HTMLElement;
  dump(): Promise<void>;
  record(): Promise<void>;
  dispose(): void;
}

/** A part of the view: one tab. It is made when it is first shown, and told of everything from then on. */
export interface Pane {
  readonly element: HTMLElement;
  /** Shown or hidden; a hidden pane does no work. */
  show(is_shown: boolean): void;
  /** A push has come, and `state` has taken it in. */
  update(push: Push, buffers: ArrayBuffer[]): void;
  dispose(): void;
}

/** Say `text` in the user's language; `{name}` in it is replaced by `values.name`. */
export type Say = (text: string, values?: Record<string, string | number>) => string;

/** What the view knows of its job, folded from the pushes; panes read it and change nothing. */
export interface JobModel {
  readonly job: JobFacts | null; // null until the first snapshot
  readonly state: JobStateJson;
  readonly failure: Failure | null;
  readonly counts: Readonly<Record<string, number>>;
  /** The time on the machine that keeps the job, in seconds. */
  now(): number;
}

/** What a pane is made from: `xxxPane(context): Pane`. */
export interface Context {
  readonly source: JobSource;
  readonly host: Host;
  readonly model: JobModel;
  readonly say: Say;
  /** Show this line (from 1) of the cell: in the notebook where the host can, else in the Source tab. */
  openLine(line: number): void;
  /** Show the first line with this text in the log of a replica, by its number from 0. */
  openLog(text: string, replica: number): void;
  /** Show this output channel in the Files tab. */
  openOutput(channel: string): void;
  /** Tell a screen reader, politely. */
  announce(text: string): void;
}
