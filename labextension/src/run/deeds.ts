/** What the server does with a run, over REST; shared by its view and its card in the panel. */

import type { Rest } from '../panel/rest.js';
import type { RunAgain, RunHost, RunInputsAnswer } from './tokens.js';

export type RunDeeds = Required<Pick<RunHost, 'stop' | 'inputs' | 'rerun' | 'remove'>>;

export function runDeeds(rest: Pick<Rest, 'get' | 'post' | 'remove'>, run: string): RunDeeds {
  const path = `runs/${encodeURIComponent(run)}`;
  return {
    stop: () => rest.post(`${path}/stop`),
    inputs: () => rest.get<RunInputsAnswer>(`${path}/inputs`),
    rerun: asked => rest.post<RunAgain>(`${path}/rerun`, { ...asked }),
    remove: () => rest.remove(path)
  };
}
