/** The plugins of the labextension: the service, and what draws jobs in the output of cells. */

import { jobsPlugin } from './lab/jobs.js';
import { rendererPlugin } from './lab/renderer.js';

export { IJobs } from './lab/jobs.js';

export default [jobsPlugin, rendererPlugin];
