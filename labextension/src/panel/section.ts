/**
 * A section of the side panel: one fold of its accordion, made by `xxxSection(context): Section`.
 *
 * Rule 1: a section that is not shown does no work: no request, no timer, no drawing. It is made hidden.
 * Rule 2: a section knows neither JupyterLab nor the server, only its context. Its host puts it into an element of the
 *   class `pj-JobView`, so that the colours and parts of the job view are those of the panel too.
 */

import type { Language } from '../text/translation.js';
import type { Say } from '../tokens.js';
import type { Actions } from './actions.js';
import type { JobList } from './list.js';
import type { OpenForm } from './openform.js';
import type { Rest } from './rest.js';

export interface Section {
  readonly element: HTMLElement;
  /** Shown or hidden: by the fold, the side bar, or since nobody looks at the page. */
  show(isShown: boolean): void;
  dispose(): void;
}

export interface PanelContext {
  readonly say: Say;
  readonly language: Language;
  readonly rest: Rest;
  readonly list: JobList;
  readonly act: Actions;
  /** Have the notebook's current cell run as a job; absent where the host cannot. */
  readonly runCell?: () => void;
  /** Show a run in a tab of its own; absent where the host cannot. */
  readonly openRun?: (run: string) => void;
  /** Show all jobs with their values and metrics in a tab; absent where the host cannot. */
  readonly openTable?: () => void;
  /** Open a form over the page; absent where the host cannot. */
  readonly openForm?: OpenForm;
  /** Tell a screen reader, politely. */
  announce(text: string): void;
}

/** What a section needs that is about no list of jobs. */
export type SectionContext = Pick<PanelContext, 'say' | 'rest' | 'announce'>;
