/** Clusters without a server: what REST answers of them, and a form that a test fills in. */

import type { OpenableForm } from '../../src/panel/openform.js';
import type { ClusterReportAnswer, ClusterRow, JobFileAnswer } from '../../src/panel/protocol.js';
import type { Query } from '../../src/panel/rest.js';
import { RequestError } from '../../src/wire/protocol.js';

export const cluster = (name: string, changes: Partial<ClusterRow> = {}): ClusterRow => ({
  name,
  address: `http://${name}.example.org`,
  user: 'alice',
  password_in: 'memory',
  ...changes
});

type Body = Readonly<Record<string, unknown>>;

/** Holds clusters as the server does; `heard` has what was posted. */
export class ClusterRest {
  clusters: ClusterRow[] = [];
  file: Omit<JobFileAnswer, 'clusters'> = { errors: [], warnings: [], images: ['python:3.11'] };
  report: ClusterReportAnswer = { facts: ['OpenPAI v1.8.0 (Kubernetes)', 'no HDFS'], problem: '' };
  readonly heard: (readonly [path: string, body: Body])[] = [];
  readonly #refusals = new Map<string, RequestError>();
  #late: Promise<ClusterRow[]> | null = null;

  refuse(path: string, message: string, type = 'SpecError'): void {
    this.#refusals.set(path, new RequestError(message, type));
  }

  /** The next list comes when the function is called, and is the one that it is given. */
  later(): (clusters: ClusterRow[]) => void {
    let answer: (clusters: ClusterRow[]) => void = () => undefined;
    this.#late = new Promise(resolve => (answer = resolve));
    return answer;
  }

  allow(): void {
    this.#refusals.clear();
  }

  async get<T>(path: string): Promise<T> {
    await this.#check(path);
    const [late, { clusters, file, report }] = [this.#late, this];
    if (late && path === 'clusters') {
      this.#late = null;
      return { clusters: await late } as T;
    }
    return (path === 'jobfile' ? { ...file, clusters } : path === 'clusters/check' ? report : { clusters }) as T;
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    const given = body as Body;
    this.heard.push([path, given]);
    await this.#check(path);
    const name = String(given['name']);
    const others = this.clusters.filter(each => each.name !== name);
    const password_in = given['keep'] === true ? 'file' : 'memory';
    if (path === 'clusters') {
      const { address, user } = given;
      this.clusters = [cluster(name, { address: String(address), user: String(user), password_in }), ...others];
    } else if (path === 'clusters/login') {
      this.clusters = this.clusters.map(each => (each.name === name ? { ...each, password_in } : each));
    } else if (path === 'clusters/use') {
      this.clusters = [...this.clusters.filter(each => each.name === name), ...others];
    } else {
      return { job: 'j1', name: 'demo', notes: ['a note', ...this.file.warnings] } as T;
    }
    return { clusters: this.clusters } as T;
  }

  async remove<T>(path: string, { name }: Query = {}): Promise<T> {
    await this.#check(path);
    this.clusters = this.clusters.filter(each => each.name !== name);
    return { clusters: this.clusters } as T;
  }

  async #check(path: string): Promise<void> {
    await Promise.resolve();
    const refusal = this.#refusals.get(path);
    if (refusal) {
      throw refusal;
    }
  }
}

/** The control with this label. */
export function control(form: HTMLElement, label: string): HTMLInputElement {
  const found = [...form.querySelectorAll('label')].find(one => one.textContent?.trim() === label);
  return (found?.querySelector('input') ?? form.querySelector(`#${found?.htmlFor}`)) as HTMLInputElement;
}

export function fill(form: HTMLElement, label: string, text: string): void {
  const box = control(form, label);
  box.value = text;
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Opens forms as a dialog does, for a test to fill in: `answer` has what becomes of the one that is open. */
export class FakeForms {
  title = '';
  choices: readonly string[] = [];
  form: OpenableForm<unknown> | null = null;
  #close: (answer: unknown) => void = () => undefined;

  readonly open = <T>(
    title: string,
    form: OpenableForm<T>,
    cancel: string,
    choices: readonly (readonly [string, string])[]
  ): Promise<T | null> => {
    [this.title, this.form, this.choices] = [title, form, [cancel, ...choices.map(([label]) => label)]];
    document.body.append(form.element);
    return new Promise(resolve => {
      this.#close = answer => resolve(answer as T | null);
    });
  };

  get element(): HTMLElement {
    return this.form?.element ?? document.createElement('div');
  }

  get text(): string {
    return this.element.textContent ?? '';
  }

  /** Press the button of the form; it closes where something has come of it. */
  async press(choice = ''): Promise<unknown> {
    const answer = await this.form?.submit(choice);
    if (answer !== null) {
      this.#close(answer);
    }
    return answer;
  }

  cancel(): void {
    this.#close(null);
  }
}
