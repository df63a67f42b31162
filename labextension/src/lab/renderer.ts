/** The MIME renderers: registered as safe, so that notebooks which nobody trusts have live views too. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { type IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';

import type { RunHost } from '../run/tokens.js';
import type { Language } from '../text/translation.js';
import type { Host } from '../tokens.js';
import { rerunHost, SHOW_JOB, showJob } from './jobtab.js';
import { IJobs } from './jobs.js';
import { openCellLine } from './notebook.js';
import { HTML, JobOutput } from './output.js';
import { JOB_MIME, RUN_MIME } from './payload.js';
import { RunOutput } from './runoutput.js';
import { runActions, SHOW_RUN, showRun } from './runtab.js';
import { loadStacks } from './stacks.js';

const RANK = -1; // a lower rank wins: text/html has 50

export const rendererPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:renderer',
  description: 'Draws training jobs and runs in the output of cells.',
  autoStart: true,
  requires: [IRenderMimeRegistry, IJobs],
  activate: (app: JupyterFrontEnd, registry: IRenderMimeRegistry, jobs: IJobs) => {
    const openJob = (job: string): void => void showJob(app, job);
    const host = (node: HTMLElement, language: Language): Host => ({
      language,
      openPage: job => jobs.openPage(job),
      loadStacks,
      openCellLine: line => openCellLine(app.shell, node, line),
      ...(app.commands.hasCommand(SHOW_JOB) ? { openJob, openTab: openJob } : {}), // that plugin may be switched off
      ...rerunHost(app)
    });
    const openRun = (run: string): void => void showRun(app, run);
    const runHost = (run: string, language: Language): RunHost => ({
      language,
      ...(app.commands.hasCommand(SHOW_JOB) ? { openJob } : {}),
      ...(app.commands.hasCommand(SHOW_RUN) ? { openRun, openTab: openRun } : {}),
      ...runActions(jobs, run)
    });
    const html = (options: IRenderMime.IRendererOptions) => (): IRenderMime.IRenderer | null =>
      registry.getFactory(HTML)?.createRenderer({ ...options, mimeType: HTML }) ?? null;
    const jobRenderer = (options: IRenderMime.IRendererOptions): IRenderMime.IRenderer =>
      new JobOutput({ jobs, html: html(options), host });
    const runRenderer = (options: IRenderMime.IRendererOptions): IRenderMime.IRenderer =>
      new RunOutput({ jobs, html: html(options), host: runHost });
    registry.addFactory({ safe: true, mimeTypes: [JOB_MIME], createRenderer: jobRenderer }, RANK);
    registry.addFactory({ safe: true, mimeTypes: [RUN_MIME], createRenderer: runRenderer }, RANK);
  }
};
