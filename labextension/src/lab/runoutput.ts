/** The output of a run, as `output.ts` draws what is saved; a plan that never ran stays as it was saved. */

import type { RunHost, SavedRun } from '../run/tokens.js';
import type { Language } from '../text/translation.js';
import type { IJobs } from './jobs.js';
import { LiveRun } from './liverun.js';
import { SavedOutput, type StaticContext } from './output.js';
import { readSavedRun, RUN_MIME } from './payload.js';

export interface RunOutputContext extends StaticContext {
  readonly jobs: Pick<IJobs, 'server' | 'run'>;
  host(run: string, language: Language): RunHost;
}

export class RunOutput extends SavedOutput<SavedRun> {
  constructor(surroundings: RunOutputContext) {
    const { jobs, host } = surroundings;
    super(surroundings, {
      mime: RUN_MIME,
      read: readSavedRun,
      live: (saved, language, refused) => {
        const options = { host: host(saved.id, language), saved };
        return saved.is_plan ? null : new LiveRun(() => jobs.run(saved.id), options, refused);
      }
    });
  }
}
