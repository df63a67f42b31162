/**
 * What one can do with a job: Stop, and a menu with the rest.
 */

import { isTerminal } from '../events.js';
import { copyText } from '../parts/copy.js';
import { element } from '../parts/dom.js';
import { saveLog } from '../parts/download.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Context, JobFacts } from '../tokens.js';
import { Menu, type MenuItem } from './menu.js';
import type { Rerun } from './rerun.js';
import { StopButton } from './stop.js';

export class Actions {
  readonly element = element('div', { class: 'pj-JobView-buttons' });
  readonly #context: Context;
  readonly #rerun: Rerun;
  /** "Copied", until the menu is opened again. */
  readonly #said = element('span', { class: 'pj-JobView-quiet' });
  readonly #stop: StopButton;
  readonly #menu: Menu;

  /** `rerun` is also the line that says how an action went. */
  constructor(context: Context, rerun: Rerun) {
    this.#context = context;
    this.#rerun = rerun;
    this.#stop = new StopButton(context, text => rerun.show(text));
    this.#menu = new Menu(context.say('More actions'), () => this.#items());
    this.element.append(this.#said, this.#stop.element, this.#menu.element);
    this.draw();
  }

  /** The state or the connection has changed. */
  draw(): void {
    const { job, state } = this.#context.model;
    this.#menu.element.hidden = job === null;
    this.#stop.offer(job !== null && !isTerminal(state.status), this.#menu.button);
    this.#stop.redraw();
  }

  dispose(): void {
    this.#stop.dispose();
    this.#menu.dispose();
  }

  #items(): MenuItem[] {
    const {
      model: { job },
      say
    } = this.#context;
    this.#said.textContent = '';
    if (!job) {
      return [];
    }
    return [
      ...this.#tab(job),
      ...this.#reruns(job),
      { label: say('Copy as %%pai_train line'), choose: () => this.#copy(job.line) },
      { label: say('Copy id'), choose: () => this.#copy(job.id) },
      ...this.#downloads(job),
      this.#folder(job)
    ];
  }

  #tab({ id }: JobFacts): MenuItem[] {
    const { host, say } = this.#context;
    return [
      ...(host.openTab ? [{ label: say('Open in tab'), choose: () => host.openTab?.(id) }] : []),
      ...(host.openPage ? [{ label: say('Open in a browser tab'), choose: () => host.openPage?.(id) }] : [])
    ];
  }

  /** At once, and where the host has a form, with other values. */
  #reruns({ id }: JobFacts): MenuItem[] {
    const { host, say } = this.#context;
    const asItWas = (label: string): MenuItem => ({ label: say(label), choose: () => void this.#rerun.start() });
    return host.openRerun
      ? [{ label: say('Rerun…'), choose: () => host.openRerun?.(id) }, asItWas('Rerun as it was')]
      : [asItWas('Rerun')];
  }

  /** One item a replica. */
  #downloads({ replicas }: JobFacts): MenuItem[] {
    const { say } = this.#context;
    const label = replicas.length > 1 ? 'Download log of {replica}' : 'Download log';
    return replicas.map(replica => ({
      label: say(label, { replica: plain(replica, 60) }),
      choose: () => void this.#download(replica)
    }));
  }

  #folder({ folder }: JobFacts): MenuItem {
    const { host, say } = this.#context;
    return host.openFolder
      ? { label: say('Open folder'), choose: () => host.openFolder?.(folder) }
      : { label: say('Copy folder path'), choose: () => this.#copy(folder) };
  }

  #copy(text: string): void {
    void copyText(text, this.#context, this.#said);
  }

  async #download(replica: string): Promise<void> {
    const { source, say } = this.#context;
    const isOurs = source.download({ log: replica }) === null; // else the browser tells how it goes
    const tell = (text: string): void => (isOurs ? this.#rerun.show(text) : undefined);
    try {
      tell(say('Reading the log…'));
      await saveLog(this.#context, replica);
      tell(say('Log downloaded'));
    } catch (error) {
      tell(errorText(error));
    }
  }
}
