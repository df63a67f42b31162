/**
 * Submit or simulate a job file: at once where there is nothing to ask and nothing to say, else after its form. Loaded
 * when the first one is started.
 */

import type { FormChoice, OpenForm } from '../panel/openform.js';
import type { JobFileAnswer, SubmitAnswer } from '../panel/protocol.js';
import type { Rest } from '../panel/rest.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import type { Language } from '../text/translation.js';
import { leaving } from './editor.js';
import { type JobFileAction, JobFileForm } from './jobfile.js';
import { clusterSay } from './translation.js';

export interface JobFileHost {
  readonly language: Language;
  readonly rest: Pick<Rest, 'get' | 'post'>;
  readonly openForm: OpenForm;
}

/** The job that was started; null where none was, which the user knows. `path` is below the server's root. */
export async function startJobFile(
  action: JobFileAction,
  path: string,
  { language, rest, openForm }: JobFileHost
): Promise<SubmitAnswer | null> {
  const say = clusterSay(language);
  const answer = await rest.get<JobFileAnswer>('jobfile', { path }).catch(unreadable);
  const form = new JobFileForm({ say, rest, action, path, answer });
  const started = form.isReady ? await form.submit() : null;
  if (started) {
    form.dispose();
    return started;
  }
  const isBad = answer.errors.length > 0;
  const file = plain(path.split('/').at(-1), 100);
  const submits = action === 'submit';
  const choice: FormChoice = [submits ? say('Submit') : say('Simulate'), action];
  const title = submits ? say('Submit {file}', { file }) : say('Simulate {file}', { file });
  const done = await openForm(title, form, isBad ? say('Close') : say('Cancel'), isBad ? [] : [choice], leaving(say));
  const told = new Set(answer.warnings); // in the form
  return done && { ...done, notes: done.notes.filter(note => !told.has(note)) };
}

/** A file that cannot be read, or files beside it: that is what is wrong with it. */
function unreadable(error: unknown): JobFileAnswer {
  return { errors: [errorText(error)], warnings: [], images: [], clusters: [] };
}
