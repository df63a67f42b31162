/**
 * A saved or fresh cell output of ours, drawn live through the server, whatever the kernel does.
 *
 *   payload is not ours                       ->  text/plain
 *   no extension of ours, or no such job here ->  the static text/html of the bundle, by the notebook's own renderer
 *   else                                      ->  the live view
 *
 * Rule 1: notebooks that nobody trusts are drawn too: the payload is hostile, and so is the HTML beside it.
 * Rule 2: a bundle that is updated is no news to a live view. It stays, with its scroll positions and open tabs.
 */

import type { IRenderMime } from '@jupyterlab/rendermime';
import { Panel, Widget } from '@lumino/widgets';

import type { Language } from '../text/translation.js';
import type { Host, SavedJob } from '../tokens.js';
import { RequestError } from '../wire/protocol.js';
import type { IJobs } from './jobs.js';
import { LiveView } from './liveview.js';
import { JOB_MIME, readSavedJob } from './payload.js';

export const HTML = 'text/html';

export interface OutputContext {
  readonly jobs: Pick<IJobs, 'server' | 'source'>;
  /** A renderer for static HTML, as the notebook has it; null where there is none. */
  html(): IRenderMime.IRenderer | null;
  host(node: HTMLElement, language: Language): Host;
}

export class JobOutput extends Panel implements IRenderMime.IRenderer {
  readonly #surroundings: OutputContext;
  #model: IRenderMime.IMimeModel | null = null;
  #drawings = 0; // how often it was asked to draw
  #live = ''; // the job whose live view is shown
  #foreign = ''; // a job that this server does not know

  constructor(surroundings: OutputContext) {
    super();
    this.#surroundings = surroundings;
    this.addClass('pj-JobView-output');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#model = model;
    this.#drawings += 1;
    const saved = readSavedJob(model.data[JOB_MIME]);
    if (!saved) {
      this.#replace(plainText(model));
    } else if (saved.id === this.#foreign) {
      await this.#showStatic(model);
    } else if (saved.id !== this.#live) {
      await this.#begin(saved, model);
    }
  }

  async #begin(saved: SavedJob, model: IRenderMime.IMimeModel): Promise<void> {
    const drawing = this.#drawings;
    const server = await this.#surroundings.jobs.server();
    if (this.isDisposed || this.#drawings !== drawing) {
      return; // a later one will do, with the same model or another
    }
    if (server.has_jobs) {
      this.#showLive(saved, server.language);
    } else {
      await this.#showStatic(model);
    }
  }

  #showLive(saved: SavedJob, language: Language): void {
    const { jobs, host } = this.#surroundings;
    const view = new LiveView(jobs.source(saved.id), node => ({ host: host(node, language), saved }));
    this.#replace(view);
    this.#live = saved.id;
    view.source.greeted.catch((error: unknown) => this.#refused(view, saved.id, error));
  }

  async #refused(view: Widget, job: string, error: unknown): Promise<void> {
    const isUnknown = error instanceof RequestError && error.type === 'NotFoundError';
    if (isUnknown && !view.isDisposed && this.#model) {
      this.#foreign = job;
      await this.#showStatic(this.#model);
    }
  }

  async #showStatic(model: IRenderMime.IMimeModel): Promise<void> {
    const html = typeof model.data[HTML] === 'string' ? this.#surroundings.html() : null;
    this.#replace(html ?? plainText(model));
    await html?.renderModel(sanitised(model));
  }

  #replace(widget: Widget): void {
    this.#live = '';
    [...this.widgets].forEach(old => old.dispose());
    this.addWidget(widget);
  }
}

/** The same, as a notebook has it that nobody trusts: ours holds no script, so one that is there is not ours. */
function sanitised(model: IRenderMime.IMimeModel): IRenderMime.IMimeModel {
  const { data, metadata } = model;
  return { data, metadata, trusted: false, setData: options => model.setData(options) };
}

function plainText(model: IRenderMime.IMimeModel): Widget {
  const node = document.createElement('pre');
  const text = model.data['text/plain'];
  node.textContent = typeof text === 'string' ? text : '';
  return new Widget({ node });
}
