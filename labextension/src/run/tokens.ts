/**
 * Interfaces: what a view of a run asks of its source, what it is told, and what it needs of its host. Types only.
 *
 *   watch_run {open: [path]}   mounts a view, `bye` unmounts it; the pushes `run`, then `run_changes` follow
 *   open_run {open: [path]}    other levels are open: their steps and pictures are pushed, those of others go
 *
 * Rule 1: a level is the steps of one graph; its path is that of the step which it belongs to, '' for the run itself.
 * Rule 2: coordinates are made in Python, once for every view; here they are only drawn.
 * Rule 3: as everywhere: times are seconds since the epoch, every text is hostile.
 */

import type { RunAgain, RunChangesPush, RunInputsAnswer, RunPush, RunRerunAsked } from '../wire/schema.js';
import type { Say, SourceStatus } from '../tokens.js';

export type {
  InputProblem,
  PictureEdge,
  PictureNode,
  RunAgain,
  RunCondition,
  RunHead,
  RunInput,
  RunInputsAnswer,
  RunNews,
  RunPicture,
  RunRerunAsked,
  RunRow,
  RunsAnswer,
  RunStatus,
  RunStep,
  RunTry,
  SavedRun,
  StepCounts,
  StepStatus
} from '../wire/schema.js';

/** What is pushed to a view of a run. */
export type RunPushed = RunPush | RunChangesPush;

export interface RunListener {
  push?(push: RunPushed): void;
  status?(status: SourceStatus, message: string): void;
}

/** Where a view gets its data. */
export interface RunSource {
  readonly run: string;
  readonly status: SourceStatus;
  /** Have the steps of these levels too. */
  open(levels: readonly string[]): void;
  /** Hear of pushes and of changes of `status`; returns the function that ends this. */
  listen(listener: RunListener): () => void;
  dispose(): void;
}

/** What the surroundings can do for a view of a run; what is absent is not offered. */
export interface RunHost {
  readonly language: 'en' | 'zh';
  openJob?(job: string): void;
  openRun?(run: string): void;
  /** Show this run in a tab of its own. */
  openTab?(run: string): void;
  stop?(): Promise<unknown>;
  /** What can be changed when it is run again. */
  inputs?(): Promise<RunInputsAnswer>;
  /** Run it again, as it was or as asked. */
  rerun?(asked: RunRerunAsked): Promise<RunAgain>;
  /** Delete its record. */
  remove?(): Promise<unknown>;
}

/** What the parts of a view are made from. */
export interface RunContext {
  readonly say: Say;
  readonly host: RunHost;
  /** The time on the machine that keeps the run, in seconds. */
  now(): number;
  /** Open the job of this step, or the level that it is. */
  open(path: string): void;
  /** This step has the focus. */
  focused(path: string): void;
}
