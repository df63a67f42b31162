/**
 * "Submit Job File" and "Simulate Job File": in the menu of the file browser on *.pai.json and *.pai.yaml, and in the
 * palette, where they are about the document in front, else about what is selected in the file browser.
 *
 * Rule: what is open with changes is saved first: what the user sees is what is submitted.
 */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import type { JobFileAction } from '../cluster/jobfile.js';
import { panelSay } from '../panel/translation.js';
import { errorText } from '../parts/loading.js';
import { plain } from '../text/sanitize.js';
import { languageOf } from '../text/translation.js';
import { jobFile, saveChanges, selectedJobFile } from './filebrowser.js';
import { panelIcon } from './icon.js';
import { IJobs } from './jobs.js';
import { showJob } from './jobtab.js';
import { paletteUpdater } from './palettecategory.js';

const COMMANDS: Readonly<Record<JobFileAction, readonly [id: string, label: string]>> = {
  submit: ['pai-jupyter:submit-job-file', 'Submit Job File'],
  simulate: ['pai-jupyter:simulate-job-file', 'Simulate Job File']
};
const SHOWN = 8_000; // milliseconds

export const jobFilesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'pai-jupyter:jobfiles',
  description: 'Submits a job file of a cluster, or runs it on this machine.',
  autoStart: true,
  requires: [IJobs],
  optional: [ITranslator, ICommandPalette],
  activate: (app, jobs: IJobs, translator: ITranslator | null, palette: ICommandPalette | null): void => {
    const { commands, shell } = app;
    const ids = Object.values(COMMANDS).map(([id]) => id);
    let say = panelSay(languageOf(translator?.languageCode));
    const list = palette ? paletteUpdater(palette, ids, () => say) : () => undefined;
    list();
    for (const action of ['submit', 'simulate'] as const) {
      const [id, label] = COMMANDS[action];
      commands.addCommand(id, {
        label: () => say(label),
        icon: panelIcon,
        isVisible: ({ isContext }) => isContext !== true || selectedJobFile(shell) !== null,
        execute: ({ isContext, path }) => {
          const given = typeof path === 'string' ? path : isContext === true ? selectedJobFile(shell) : jobFile(shell);
          return start(app, jobs, action, given);
        }
      });
    }
    void jobs.server().then(({ language }) => {
      say = panelSay(language);
      ids.forEach(id => commands.notifyCommandChanged(id));
      list();
    });
  }
};

async function start(app: JupyterFrontEnd, jobs: IJobs, action: JobFileAction, path: string | null): Promise<void> {
  const { has_jobs, language } = await jobs.server();
  const say = panelSay(language);
  if (!has_jobs) {
    return; // the service has said what is missing
  }
  if (path === null) {
    const sentence = say('Select a *.pai.json or *.pai.yaml file in the file browser first, or open one.');
    Notification.warning(sentence, { autoClose: SHOWN });
    return;
  }
  try {
    await saveChanges(app.shell, path);
    const { startJobFile } = await import('../cluster/start.js'); // late: most pages never need it
    const { openForm } = await import('./formdialog.js');
    const started = await startJobFile(action, path.replace(/^RTC:/, ''), { language, rest: jobs.rest, openForm });
    if (started) {
      const notes = started.notes.map(note => plain(note, 500));
      const sentence = say('Job {name} has started.', { name: plain(started.name, 100) });
      Notification.success([sentence, ...notes].join(' '), { autoClose: SHOWN });
      await showJob(app, started.job);
    }
  } catch (error) {
    Notification.error(errorText(error), { autoClose: SHOWN });
  }
}
