/**
 * Interfaces: what the side panel asks of the server, and what it is told. Types only, no code. The Python side is
 * `pai_jupyter/server` and `pai_jupyter/wire`; tests/openapi.json describes the REST part.
 *
 * Rule 1: the list of jobs comes over the WebSocket that the views of jobs use (`Watch`), all else over REST.
 * Rule 2: as everywhere: times are seconds since the epoch, every text is hostile, an error is {type, message, hint}.
 */

import type { JsonNumber, Scalar, Status } from '../tokens.js';

// ---- over the WebSocket: request {id, kind, job: '', view, …}, answer {id, ok}, pushes {view, kind: 'jobs', seq, ...}

/** One job in a list. */
export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly backend: string; // process, docker, pai, ...
  readonly place: string; // as a view's header has it: "emulator (…)", "cn-hangzhou"
  readonly status: Status;
  readonly notebook: string | null;
  readonly created: number;
  readonly started: number | null; // when it began to run
  readonly ended: number | null;
  readonly progress: number | null; // 0..1, of one that runs
  readonly metric: { readonly name: string; readonly value: JsonNumber } | null; // the best known, or the user's own
  readonly is_here: boolean; // false: only the remote backend knows of it; it was recorded on another machine
  readonly url: string; // of the console, '' where there is none
  readonly trouble?: string; // why it cannot be reached or recorded now, '' where it can
  readonly values?: readonly string[]; // hyperparameters as texts, `lr=0.3`, secrets masked; at most 24
  readonly in_line?: number; // its place in the queue of this machine, 1 is next; only of one that waits there
  readonly title?: string; // of a backend that others have made
}

/**
 * `watch_jobs` mounts a view of the list, `bye` unmounts it. The first pushes bring all rows, the newest first, the
 * last of them `is_whole`; later ones what changed. A gap in `seq` asks for `watch_jobs` again.
 */
export interface JobsPush {
  readonly kind: 'jobs';
  readonly seq: number;
  readonly now: number; // on the machine that keeps the jobs
  readonly rows: readonly JobRow[]; // new or changed
  readonly gone: readonly string[]; // ids
  readonly is_first: boolean; // forget what was known
  readonly is_whole: boolean; // nothing is missing now
  readonly notes: readonly string[]; // what could not be listed, a sentence each
}

export interface PanelRequests {
  watch_jobs: Record<string, never>;
  bye: Record<string, never>;
  /** The course of the metric that a row names, for the rows that are in sight; at most 100 at once. */
  sparks: { jobs: string[] };
}

export interface PanelAnswers {
  watch_jobs: { count: number };
  bye: Record<string, never>;
  /** One buffer a spark: float64 values, at most 40. Jobs without a metric have none. */
  sparks: { sparks: { job: string; name: string }[] };
}

// ---- over REST, below pai-jupyter/api/

/** `GET jobs?text=&status=running,failed&backend=&notebook=&sort=&descending=&start=&limit=`. */
export interface JobsAnswer {
  rows: JobRow[];
  count: number; // of all that fit
  states: Record<string, number>; // of all that fit but for the state
  backends: string[];
  notebooks: string[];
}

/** `GET backends`. */
export interface BackendsAnswer {
  backends: BackendRow[];
  profile: string; // '' where none is used
  settings: { name: string; value: string; origin: string }[]; // region, workspace, bucket; never a key
}

export interface BackendRow {
  name: string;
  title: string; // for people
  is_ready: boolean | null; // null: nobody asked, since the asking costs a request; `?check=pai` asks
  note: string; // what it is, or what is missing and what to type, a sentence
  is_emulator: boolean;
  instances: string[]; // machines of its own that it names one by one
}

/** `GET images?framework=&gpu=`. `short_name` is what `--image` takes. */
export interface ImagesAnswer { images: ImageRow[] }
export interface ImageRow { short_name: string; uri: string; framework: string; python: string; cuda: string }
/** `GET instances?gpu=`. */
export interface InstancesAnswer { instances: InstanceRow[] }
export interface InstanceRow { name: string; cpu: number; memory: number; gpu: string; is_available: boolean }

/** `GET tensorboards`. */
export interface BoardsAnswer {
  boards: BoardRow[];
  limit: number | null; // of those on PAI; null where this server works in no cloud
  is_emulator: boolean; // what is called PAI here only rehearses it
  notes: string[];
}

/**
 * `POST tensorboards {jobs: [id]} | {uri}` opens one over all of these and answers with it at once (`state` starting);
 * `DELETE tensorboards/<id>` stops it.
 */
export interface BoardRow {
  id: string; // of one on this machine, or of an app
  name: string;
  state: 'starting' | 'running' | 'stopped';
  where: 'here' | 'pai';
  url: string; // from where the browser sits; '' unless running
  shows: string; // folders or address, for people
}

/**
 * `GET storage?uri=&after=`: a directory; without `uri` the places. Addresses: `job:<id>/<channel>/<path>` for
 * what lies in a job's folder here, `oss://bucket/key`. That of a directory ends with a slash, so that the address of
 * what is made in it is `uri` and the name; `job:` lists the jobs.
 *
 *   GET    storage/preview?uri=        PreviewAnswer, an image's bytes as the buffer of a frame
 *   GET    storage/file?uri=           a download
 *   PUT    storage/file?uri=           an upload: the body is the file; answers StoredEntry
 *   POST   storage/folder?uri=
 *   DELETE storage?uri=                a file, or a directory with all that is in it; answers {count}
 */
export interface StorageAnswer {
  uri: string; // '' for the places
  parent: string | null;
  can_write: boolean; // upload and make folders here
  can_delete: boolean; // what is in it; never the place itself
  entries: StoredEntry[];
  after: string | null; // where a long listing goes on
  notes: string[];
}

export interface StoredEntry {
  name: string;
  uri: string;
  is_directory: boolean;
  size: number;
  modified: number | null;
}

export interface PreviewAnswer {
  uri: string; size: number; type: 'text' | 'json' | 'image' | 'binary'; mime: string; text: string; is_cut: boolean;
}

/** `POST schema {cell}`: the form of a cell, and what is wrong with it. */
export interface SchemaAnswer {
  hyperparameters: HyperparameterRow[];
  findings: { level: 'error' | 'warning' | 'info'; line: number | null; message: string }[];
}

export interface HyperparameterRow {
  name: string;
  kind: 'bool' | 'int' | 'float' | 'str' | 'json';
  default: Scalar;
  minimum: number | null;
  maximum: number | null;
  open_minimum?: boolean; // the bound itself is not allowed
  open_maximum?: boolean;
  nullable?: boolean; // None is a value
  step: number | null;
  is_log: boolean;
  choices: Scalar[];
  help: string;
  line: number; // of the cell, from 1
}

/** `POST submit {cell, notebook?, values?}`: the cell, its magic's line included, as a job of this server. */
export interface SubmitAnswer { job: string; name: string; notes: string[] }

/** `GET jobs/<id>/difference?to=<id>`: of the two scripts, `to`'s being the newer. */
export interface DifferenceAnswer {
  lines: { kind: 'same' | 'gone' | 'new' | 'skipped'; text: string }[]; // of what is skipped: how many lines
  is_cut: boolean;
}

/**
 * `GET jobs/<id>/cell`: the cell as written, and as it runs again with the values of this job, for a clone; refused
 * where no cell is recorded. `DELETE jobs/<id>` answers {}.
 */
export interface CellAnswer { cell: string; as_run: string }

/** `POST jobs/<id>/adopt`: make a folder here for a job recorded elsewhere. */
export interface AdoptAnswer { job: string; name: string }
