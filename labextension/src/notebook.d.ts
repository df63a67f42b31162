/**
 * What is used of `@jupyterlab/notebook`, which the application shares at run time: two signals. The package itself
 * brings half of JupyterLab, and is needed for nothing else.
 */
declare module '@jupyterlab/notebook' {
  import type { ISignal } from '@lumino/signaling';

  interface Executed {
    readonly notebook: object;
    readonly cell: object;
  }

  export class NotebookActions {
    static readonly executionScheduled: ISignal<unknown, Executed>;
    static readonly executed: ISignal<unknown, Executed>;
  }
}
