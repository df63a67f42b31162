/**
 * The service: jobs of this Jupyter server, for views of ours and of other extensions.
 *
 * Rule 1: nothing is asked of the server before a job is on the page, or the panel wants to know how many there are.
 * Rule 2: a server without our extension is named once per page, with what to do; everything else goes on unharmed.
 */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { ITranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';

import type { JobList } from '../panel/list.js';
import { jupyterHeaders, type Rest, ServerRest } from '../panel/rest.js';
import { panelSay } from '../panel/translation.js';
import { type Language, languageOf } from '../text/translation.js';
import { type Address, Connection } from '../wire/socket.js';
import type { WireRun } from '../wire/run.js';
import type { WireSource } from '../wire/source.js';

const API = 'pai-jupyter/api/';
const PAGES = 'pai-jupyter/jobs/';
export const MISSING = // JupyterLab shows the first 140 characters
  'pai_jupyter is not installed in the environment of this Jupyter server. ' +
  'Type "pip install pai_jupyter" there and restart the server.';

/** What there is at the other end. */
export interface ServerFacts {
  readonly has_jobs: boolean; // our server extension is there
  readonly language: Language;
  readonly notifyAfter?: number; // seconds that a job takes at least whose end is told; unknown: the default
}

/**
 * What other extensions build on. One that shows how many jobs run:
 *
 *     import { IJobs } from 'pai-jupyter';
 *
 *     const plugin: JupyterFrontEndPlugin<void> = {
 *       id: 'mine:count', autoStart: true, requires: [IJobs],
 *       activate: async (app, jobs: IJobs) => {
 *         const list = jobs.list();
 *         if ((await jobs.server()).has_jobs) {
 *           list.listen(() => show([...list.rows.values()].filter(row => row.status === 'running').length));
 *         }
 *       }
 *     };
 *
 * Its package.json says `"jupyterlab": {"sharedPackages": {"pai-jupyter": {"bundled": false, "singleton": true}}}`, or
 * its token would be another one. What can be asked with `rest`, and what a row says, is in `src/wire/schema.ts`.
 */
export interface IJobs {
  /** Our extension of the server, asked for once. */
  server(): Promise<ServerFacts>;
  /** What a view of this job gets its data from, live; to be disposed of with the view. */
  source(job: string): WireSource;
  /** The same of this run. */
  run(run: string): WireRun;
  /** All jobs of this user, one list for the whole page; it is current while somebody listens to it. */
  list(): JobList;
  /** Show this job in a browser tab of its own, which its address brings back while the server runs. */
  openPage(job: string): void;
  /** What is asked once and not watched. */
  readonly rest: Rest;
}

export const IJobs = new Token<IJobs>('pai-jupyter:IJobs', 'Training jobs of this Jupyter server.');

export class ServerJobs implements IJobs {
  readonly rest: Rest;
  readonly #list: JobList;
  readonly #settings: ServerConnection.ISettings;
  readonly #locale: string | undefined;
  readonly #connection: Connection;
  #facts: Promise<ServerFacts> | null = null;

  /** `locale` is the front end's language, which PAI_JUPYTER_LANG on the server overrules. */
  constructor(settings: ServerConnection.ISettings, locale: string | undefined) {
    this.#settings = settings;
    this.#locale = locale;
    const address = addressOf(settings, languageOf(locale));
    this.#connection = new Connection(address);
    this.#list = this.#connection.list();
    this.rest = new ServerRest({
      api: address.api,
      token: address.token,
      fetch: (url, init) => ServerConnection.makeRequest(url, init, settings),
      credentials: () => jupyterHeaders(settings.token, document.cookie),
      language: languageOf(locale)
    });
  }

  list(): JobList {
    return this.#list;
  }

  source(job: string): WireSource {
    return this.#connection.source(job);
  }

  run(run: string): WireRun {
    return this.#connection.run(run);
  }

  openPage(job: string): void {
    const address = URLExt.join(this.#settings.baseUrl, PAGES, encodeURIComponent(job));
    window.open(`${address}?language=${languageOf(this.#locale)}`, '_blank', 'noopener');
  }

  server(): Promise<ServerFacts> {
    this.#facts ??= this.#ask().catch(() => {
      this.#facts = null; // a server that cannot be reached may come back: the connection waits for it
      return { has_jobs: true, language: languageOf(this.#locale) };
    });
    return this.#facts;
  }

  async #ask(): Promise<ServerFacts> {
    // Jupyter's own way past the cache is a parameter without a name, which our server would refuse.
    const init: RequestInit = { cache: 'no-cache' };
    const response = await ServerConnection.makeRequest(URLExt.join(this.#settings.baseUrl, API), init, this.#settings);
    if (response.status === 404) {
      return this.#miss();
    }
    if (!response.ok) {
      throw new ServerConnection.ResponseError(response);
    }
    const answer: unknown = await response.json();
    const after = notifyAfter(answer);
    const language = languageOf(wantedLanguage(answer) ?? this.#locale);
    return { has_jobs: true, language, ...(after === null ? {} : { notifyAfter: after }) };
  }

  #miss(): ServerFacts {
    const language = languageOf(this.#locale);
    Notification.warning(panelSay(language)(MISSING), { autoClose: false });
    return { has_jobs: false, language };
  }
}

export const jobsPlugin: JupyterFrontEndPlugin<IJobs> = {
  id: 'pai-jupyter:jobs',
  description: 'Training jobs of this Jupyter server, over one WebSocket.',
  autoStart: true,
  provides: IJobs,
  optional: [ITranslator],
  activate: (app, language: ITranslator | null): IJobs =>
    new ServerJobs(app.serviceManager.serverSettings, language?.languageCode)
};

function addressOf({ baseUrl, wsUrl, token, appendToken }: ServerConnection.ISettings, language: Language): Address {
  const shown = appendToken ? token : '';
  const query = URLExt.objectToQueryString(shown ? { language, token: shown } : { language });
  return {
    socket: URLExt.join(wsUrl, API, 'socket') + query,
    api: URLExt.join(baseUrl, API),
    token: shown
  };
}

/** What PAI_JUPYTER_LANG asks for; an older server does not say. */
function wantedLanguage(answer: unknown): string | null {
  const told = typeof answer === 'object' && answer !== null && 'language' in answer ? answer.language : null;
  return typeof told === 'string' && told ? told : null;
}

/** What `notify.after` says, in seconds; an older server does not. */
function notifyAfter(answer: unknown): number | null {
  const told = typeof answer === 'object' && answer !== null && 'notify_after' in answer ? answer.notify_after : null;
  return typeof told === 'number' ? told : null;
}
