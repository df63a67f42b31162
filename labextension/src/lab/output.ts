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

/** Something of ours that is saved in notebooks, and shown live. */
export interface SavedKind<S extends { readonly id: string }> {
  readonly mime: string;
  read(value: unknown): S | null;
  /** Its live view; `refused` hears why there is none. Null where there is nothing to ask for. */
  live(saved: S, language: Language, refused: (error: unknown) => void): Widget | null;
}

export interface StaticContext {
  readonly jobs: Pick<IJobs, 'server'>;
  /** A renderer for static HTML, as the notebook has it; null where there is none. */
  html(): IRenderMime.IRenderer | null;
}

export interface OutputContext extends StaticContext {
  readonly jobs: Pick<IJobs, 'server' | 'source'>;
  host(node: HTMLElement, language: Language): Host;
}

export class SavedOutput<S extends { readonly id: string }> extends Panel implements IRenderMime.IRenderer {
  readonly #surroundings: StaticContext;
  readonly #kind: SavedKind<S>;
  #model: IRenderMime.IMimeModel | null = null;
  #drawings = 0; // how often it was asked to draw
  #live = ''; // the id of what is shown live
  #foreign = ''; // the id of what this server does not know

  constructor(surroundings: StaticContext, kind: SavedKind<S>) {
    super();
    this.#kind = kind;
    this.#surroundings = surroundings;
    this.addClass('pj-JobView-output');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#model = model;
    this.#drawings += 1;
    const saved = this.#kind.read(model.data[this.#kind.mime]);
    if (!saved) {
      this.#replace(plainText(model));
    } else if (saved.id === this.#foreign) {
      await this.#showStatic(model);
    } else if (saved.id !== this.#live) {
      await this.#begin(saved, model);
    }
  }

  async #begin(saved: S, model: IRenderMime.IMimeModel): Promise<void> {
    const drawing = this.#drawings;
    const server = await this.#surroundings.jobs.server();
    if (this.isDisposed || this.#drawings !== drawing) {
      return; // a later one will do, with the same model or another
    }
    const view = server.has_jobs ? this.#makeLive(saved, server.language) : null;
    if (view) {
      this.#replace(view);
      this.#live = saved.id;
    } else {
      await this.#showStatic(model);
    }
  }

  #makeLive(saved: S, language: Language): Widget | null {
    const view = this.#kind.live(saved, language, error => void this.#refused(view, saved.id, error));
    return view;
  }

  async #refused(view: Widget | null, id: string, error: unknown): Promise<void> {
    const isUnknown = error instanceof RequestError && error.type === 'NotFoundError';
    if (isUnknown && view && !view.isDisposed && this.#model) {
      this.#foreign = id;
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

/** The output of a job. */
export class JobOutput extends SavedOutput<SavedJob> {
  constructor(surroundings: OutputContext) {
    const { jobs, host } = surroundings;
    super(surroundings, {
      mime: JOB_MIME,
      read: readSavedJob,
      live: (saved, language, refused) => {
        const view = new LiveView(jobs.source(saved.id), node => ({ host: host(node, language), saved }));
        view.source.greeted.catch(refused);
        return view;
      }
    });
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
