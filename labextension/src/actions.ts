/**
 * What one can do with a job: Stop, and a menu with the rest.
 */

import { copyText } from './copy.js';
import { element } from './dom.js';
import { fetchLog, fileName, saveAddress, saveBlob } from './download.js';
import { isTerminal } from './events.js';
import { errorText } from './loading.js';
import { Menu, type MenuItem } from './menu.js';
import { plain } from './plain.js';
import type { Rerun } from './rerun.js';
import { StopButton } from './stop.js';
import type { Context, JobFacts } from './tokens.js';

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
    const { model: { job }, say } = this.#context;
    this.#said.textContent = '';
    if (!job) {
      return [];
    }
    return [
      { label: say('Rerun'), choose: () => void this.#rerun.start() },
      { label: say('Copy as line'), choose: () => this.#copy(job.line) },
      { label: say('Copy id'), choose: () => this.#copy(job.id) },
      ...this.#downloads(job),
      this.#folder(job)
    ];
  }

  /** One item a replica. */
  #downloads({ name, replicas }: JobFacts): MenuItem[] {
    const { say } = this.#context;
    const label = replicas.length > 1 ? 'Download log of {replica}' : 'Download log';
    return replicas.map(replica => ({
      label: say(label, { replica: plain(replica, 60) }),
      choose: () => void this.#download(replica, fileName(`${name}-${replica}.log`))
    }));
  }

  #folder({ folder }: JobFacts): MenuItem {
    const { host, say } = this.#context;
    return host.openFolder
      ? { label: say('Open folder'), choose: () => host.openFolder?.(folder) }
      : { label: say('Copy folder path'), choose: () => this.#copy(folder) };
  }

  #copy(text: string): void {
    const { say, announce } = this.#context;
    const tell = (message: string) => {
      this.#said.textContent = message;
      announce(message);
    };
    void copyText(text, { place: this.element, say, announce: tell });
  }

  async #download(replica: string, name: string): Promise<void> {
    const { source, say } = this.#context;
    const address = source.download({ log: replica });
    if (address !== null) {
      saveAddress(address, name);
      return;
    }
    this.#rerun.show(say('Reading the log…'));
    try {
      saveBlob(await fetchLog(this.#context, replica), name);
      this.#rerun.show(say('The log is downloaded.'));
    } catch (error) {
      this.#rerun.show(errorText(error));
    }
  }
}
