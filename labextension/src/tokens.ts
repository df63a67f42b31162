/**
 * Interfaces: what a view asks of a job, what it is told, and what it needs of its host. Types only, no code.
 *
 * The wire format is the same on our WebSocket, on a comm and over REST; its Python side is the room
 * `pai_jupyter.wire`.
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

export type JsonNumber = number | 'nan' | 'inf' | '-inf';
export type Scalar = string | number | boolean | null;

export type Status =
  | 'created' | 'packaging' | 'submitting' | 'queued' | 'running' | 'succeeded' | 'failed' | 'stopped' | 'unknown';
export type Phase = 'preparing' | 'running' | 'saving';

/** The stored events of `pai_jupyter/events/types.py`; a field that has its default is left out. */
export type JobEvent =
  | { kind: 'StatusChanged'; status: Status; time: number; reason?: string; exit_code?: number | null }
  | { kind: 'PhaseChanged'; phase: Phase; time: number; replica?: string; offset?: number | null }
  | { kind: 'Metric'; name: string; value: JsonNumber; time: number; step?: JsonNumber | null; replica?: string }
  | { kind: 'Progress'; done: JsonNumber; time: number; total?: JsonNumber | null; unit?: string }
  | ({ kind: 'Usage' } & UsageSample)
  | { kind: 'Link'; name: string; url: string; time?: number }
  | { kind: 'Notice'; text: string; time: number; level?: string };

export interface UsageSample {
  replica: string;
  time: number;
  cpu?: number | null; // cores
  cpu_time?: number | null; // seconds
  memory?: number | null; // bytes
  peak_memory?: number | null;
  gpu?: number | null; // 0..1
  gpu_memory?: number | null; // bytes
}

/** `JobState.to_json()`. A metric is [value, step, minimum, maximum, count]. */
export interface JobStateJson {
  status: Status;
  reason: string;
  exit_code: number | null;
  entered: Record<string, number>;
  phases: JobEvent[];
  metrics: Record<string, [JsonNumber, JsonNumber | null, JsonNumber, JsonNumber, number]>;
  first_progress: JobEvent | null;
  progress: JobEvent | null;
  usage: Record<string, JobEvent>;
  links: Record<string, string>;
  notices: JobEvent[];
}

/** What does not change while a job lives. */
export interface JobFacts {
  id: string;
  name: string;
  backend: string;
  place: string;
  instance_type: string;
  instance_count: number;
  max_run_time: number | null; // seconds
  notebook: string | null;
  created: number;
  folder: string; // on the machine that keeps the job; "~" for the home
  replicas: string[];
  values: Record<string, Scalar>;
  line: string; // the magic's line with these values, to copy
  entry_point: string; // the file that the cell was sent as; '' where the job came from no cell
  title?: string; // of a backend that others have made
}

export interface Failure {
  cause: string;
  hint: string;
  line: number | null; // of the cell, from 1
  tail: string[];
}

/** A window of lines; `clipped` has the whole length of those that were clipped, by index in `lines`. */
export interface LogWindow {
  replica: string;
  start: number;
  lines: string[];
  times: number[]; // arrival to about a second, 0 where nobody noted it
  clipped: Record<string, number>;
  count: number; // lines of the whole log, an unfinished last one included
  finished: number; // lines that will not change any more
}

export interface Series {
  name: string;
  replica: string;
  source: 'log' | 'tensorboard' | 'usage';
  unit: string; // '', 'B', 'cores', 'ratio', 's'
  length: number; // points in the buffer
  count: number; // points there were
}

export type Level = 'info' | 'warning' | 'error';

export interface Requests {
  /** Mount a view of this job: answered at once, then a snapshot and pushes. Again: the same, anew. */
  hello: { replica?: string };
  /** Unmount it. */
  bye: Record<string, never>;
  lines: { replica: string; start: number; stop: number } | { replica: string; numbers: number[] };
  search: {
    replica: string; pattern: string; regex?: boolean; ignore_case?: boolean; level?: Level;
    after?: number; // the first line that counts
    limit?: number;
  };
  /** `live`: push the changes to this view until it asks with false. */
  points: { group: 'metrics' | 'usage'; live?: boolean };
  files:
    | { channel?: undefined }
    | { channel: string; path?: string; preview?: boolean }
    | { channel: string; path: string; offset: number; length: number };
  source: Record<string, never>;
  environment: Record<string, never>;
  board: { action: 'show' | 'start' | 'stop' };
  stop: Record<string, never>;
  rerun: Record<string, never>;
}

export interface Channel { name: string; uri: string; is_open: boolean; note: string }
/** `modified` is null where nobody knows: directories of OSS are only the beginnings of names. */
export interface FileEntry { name: string; is_directory: boolean; size: number; modified: number | null }
export type FilesAnswer =
  | { kind: 'channels'; channels: Channel[] }
  | { kind: 'directory'; channel: string; path: string; entries: FileEntry[]; is_cut: boolean }
  | { kind: 'preview'; channel: string; path: string; size: number; type: 'text' | 'json' | 'image' | 'binary';
      mime: string; text: string; is_cut: boolean } // an image's bytes are the buffer
  | { kind: 'bytes'; channel: string; path: string; offset: number; size: number }; // the bytes are the buffer

export interface SourceAnswer {
  cell: string; // the exact cell, the magic's line included; '' where the job came from a program
  script: string; // the script as it was sent
  entry_point: string;
  notebook: string;
  package: { digest: string; size: number; files: { name: string; size: number; digest: string }[]; is_cut: boolean };
  values: RanWith[];
}

/** A value that the job ran with. `written`: the cell (else the script) has another one, there; no line: not known. */
export interface RanWith { name: string; value: Scalar; written?: { line: number | null; value: Scalar } }

export interface EnvironmentAnswer {
  command: string; // as it was run, variables filled in
  replicas: { name: string; variables: [string, string][]; paths: [string, string][] }[]; // path -> what lies there
  note: string;
}

/** A TensorBoard over this job's event files. */
export interface BoardAnswer {
  state: 'none' | 'stopped' | 'starting' | 'running';
  url: string; // from where the browser sits; '' unless running
  note: string; // what to know or do, a sentence
}

export interface Answers {
  hello: { api: number };
  bye: Record<string, never>;
  lines: LogWindow;
  search: { count: number; searched: number; is_more: boolean }; // one buffer: float64 line numbers
  /** One buffer a series: float64 steps, then times, then values. `notes`: what is not in them, a sentence each. */
  points: { series: Series[]; notes: string[] };
  files: FilesAnswer;
  source: SourceAnswer;
  environment: EnvironmentAnswer;
  board: BoardAnswer;
  stop: Record<string, never>;
  rerun: { job: string; name: string };
}

export type Kind = keyof Requests;

export interface WireError { type: string; message: string; hint: string }

export interface Snapshot {
  kind: 'snapshot';
  now: number;
  job: JobFacts;
  state: JobStateJson;
  failure: Failure | null;
  counts: Record<string, number>; // lines by replica
  tail: LogWindow; // of the replica that is watched
}
/** Either the events since the last push, or, where they were many, the whole state. */
export interface StateNews { kind: 'state'; now: number; events?: JobEvent[]; state?: JobStateJson; failure?: Failure }
/** New lines. `start` may lie before the end of what was sent (a line that was not finished) or behind it (a flood). */
export interface TailNews { kind: 'tail'; now: number; counts: Record<string, number>; tail: LogWindow }
/** Series that changed, whole; one buffer each, and all notes, as in the answer. */
export interface PointsNews { kind: 'points'; group: 'metrics' | 'usage'; series: Series[]; notes: string[] }

export type Push = (Snapshot | StateNews | TailNews | PointsNews) & { seq: number };

export interface Answer<K extends Kind> { ok: Answers[K]; buffers: ArrayBuffer[] }

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
  /** Show a job that was started from this view. */
  openJob?(job: string): void;
}

/** `application/vnd.pai-jupyter.job.v1+json`: all that a saved notebook has. Hostile: any field may be anything. */
export interface SavedJob {
  schema: number;
  id: string;
  name: string;
  state: Status;
  place: string;
  at: string;
  times: Record<string, string>;
  values: Record<string, string>;
  metrics: Record<string, JsonNumber>;
  is_cut: boolean;
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
  /** Tell a screen reader, politely. */
  announce(text: string): void;
}
