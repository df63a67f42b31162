/**
 * The plugins of the labextension: the service, what draws jobs and runs in the output of cells and in tabs, the panel
 * and its commands, comparisons, the runs table, a cell as a job, job files of a cluster, forms without a kernel, and
 * the magics of a kernel.
 */

import { comparePlugin } from './lab/compare.js';
import { formsPlugin } from './lab/forms.js';
import { jobFilesPlugin } from './lab/jobfiles.js';
import { jobsPlugin } from './lab/jobs.js';
import { jobTabPlugin } from './lab/jobtab.js';
import { magicsPlugin } from './lab/magics.js';
import { commandsPlugin } from './lab/palette.js';
import { panelPlugin } from './lab/panel.js';
import { rendererPlugin } from './lab/renderer.js';
import { cellPlugin } from './lab/runcell.js';
import { runsTablePlugin } from './lab/runstable.js';
import { runTabPlugin } from './lab/runtab.js';

// What other extensions build on, with the types that it speaks of.
export { IJobs, type ServerFacts } from './lab/jobs.js';
export type { JobList, Spark } from './panel/list.js';
export type * from './panel/protocol.js';
export type { Rest } from './panel/rest.js';
export type { WireRun } from './wire/run.js';
export type { WireSource } from './wire/source.js';

export default [
  jobsPlugin,
  rendererPlugin,
  jobTabPlugin,
  runTabPlugin,
  panelPlugin,
  commandsPlugin,
  comparePlugin,
  runsTablePlugin,
  cellPlugin,
  jobFilesPlugin,
  formsPlugin,
  magicsPlugin
];
