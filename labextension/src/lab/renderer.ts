/** The MIME renderer: it is registered as safe, so that notebooks which nobody trusts have a live view too. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { type IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';

import type { Language } from '../text/translation.js';
import type { Host } from '../tokens.js';
import { SHOW_JOB, showJob } from './jobtab.js';
import { IJobs } from './jobs.js';
import { openCellLine } from './notebook.js';
import { HTML, JobOutput } from './output.js';
import { JOB_MIME } from './payload.js';

const RANK = -1; // a lower rank wins: text/html has 50

export const rendererPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:renderer',
  description: 'Draws training jobs in the output of cells.',
  autoStart: true,
  requires: [IRenderMimeRegistry, IJobs],
  activate: (app: JupyterFrontEnd, registry: IRenderMimeRegistry, jobs: IJobs) => {
    const openJob = (job: string): void => void showJob(app, job);
    const host = (node: HTMLElement, language: Language): Host => ({
      language,
      openCellLine: line => openCellLine(app.shell, node, line),
      ...(app.commands.hasCommand(SHOW_JOB) ? { openJob, openTab: openJob } : {}) // that plugin may be switched off
    });
    const createRenderer = (options: IRenderMime.IRendererOptions): IRenderMime.IRenderer => {
      const html = () => registry.getFactory(HTML)?.createRenderer({ ...options, mimeType: HTML }) ?? null;
      return new JobOutput({ jobs, html, host });
    };
    registry.addFactory({ safe: true, mimeTypes: [JOB_MIME], createRenderer }, RANK);
  }
};
