/** The outputs of cells, as the kernel writes them. */

import type { IRenderMime } from '@jupyterlab/rendermime';

import { JOB_MIME, RUN_MIME } from '../../src/lab/payload.js';
import type { SavedJob } from '../../src/tokens.js';

export function savedJob(changes: Partial<SavedJob> = {}): SavedJob {
  return {
    schema: 1,
    id: 'j1mq8x4f0k7d2',
    name: 'iris',
    state: 'running',
    place: 'process',
    at: '2026-11-21T06:30:00Z',
    times: {},
    values: {},
    metrics: {},
    is_cut: false,
    ...changes
  };
}

/** What a notebook hands to a renderer. */
export function mimeModel(payload: unknown, changes: Record<string, unknown> = {}): IRenderMime.IMimeModel {
  const data = {
    [JOB_MIME]: payload,
    [RUN_MIME]: payload,
    'text/html': '<b>static</b>',
    'text/plain': 'plain',
    ...changes
  };
  return { trusted: false, metadata: {}, setData: () => undefined, data } as IRenderMime.IMimeModel;
}
