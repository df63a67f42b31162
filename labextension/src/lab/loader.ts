/**
 * Loads the magics into a kernel where nobody has said `%load_ext`, right before the first cell that needs them.
 *
 * Rule 1: what is sent is a constant, silently, at most once in the life of a kernel, and to IPython alone.
 * Rule 2: the cell does not wait: a kernel takes requests in the order in which they were made.
 */

import type { Kernel } from '@jupyterlab/services';

const LOAD = { code: '%load_ext pai_jupyter', silent: true, store_history: false, stop_on_error: false };
const OURS = /^[ \t]*%{1,2}pai_\w/m;

export class ExtensionLoader {
  readonly #argv: (kernel: string) => readonly string[];
  readonly #missing: () => void;
  readonly #implementations = new WeakMap<Kernel.IKernelConnection, string>();
  readonly #loaded = new WeakSet<Kernel.IKernelConnection>();
  readonly #watched = new WeakSet<Kernel.IKernelConnection>();

  /** `argv` is how a kernel of that name is started; `missing` hears that a kernel has no such extension. */
  constructor(argv: (kernel: string) => readonly string[], missing: () => void) {
    this.#argv = argv;
    this.#missing = missing;
  }

  /** Have the kernel know the magics of this cell, which is sent to it next. */
  prepare(kernel: Kernel.IKernelConnection, source: string): void {
    this.#watch(kernel);
    if (OURS.test(source) && !this.#loaded.has(kernel) && this.#isIPython(kernel)) {
      this.#loaded.add(kernel);
      void this.#load(kernel);
    }
  }

  async #load(kernel: Kernel.IKernelConnection): Promise<void> {
    try {
      const { content } = await kernel.requestExecute(LOAD).done;
      if (content.status === 'error') {
        this.#loaded.delete(kernel); // it may be installed by then
        this.#missing();
      }
    } catch {
      this.#loaded.delete(kernel); // the kernel has gone, and its cell says so
    }
  }

  /** By what the kernel has said of itself; by its command, until then. */
  #isIPython(kernel: Kernel.IKernelConnection): boolean {
    const said = this.#implementations.get(kernel);
    return said === undefined ? this.#argv(kernel.name).some(word => /ipykernel/.test(word)) : said === 'ipython';
  }

  #watch(kernel: Kernel.IKernelConnection): void {
    if (!this.#watched.has(kernel)) {
      this.#watched.add(kernel);
      kernel.info.then(
        ({ implementation }) => this.#implementations.set(kernel, implementation),
        () => undefined
      );
      kernel.statusChanged.connect((_, status) => {
        if (status === 'restarting' || status === 'autorestarting') {
          this.#loaded.delete(kernel);
        }
      });
    }
  }
}
