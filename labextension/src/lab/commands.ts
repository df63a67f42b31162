/**
 * The commands: for the palette, menus and shortcuts, and for other extensions.
 *
 * Rule 1: a command is about the jobs that it is given as `jobs` (or `job`), else about those chosen in the panel.
 * Rule 2: what cannot be taken back is asked about in the panel, whoever gave the command.
 */

import type { CommandRegistry } from '@lumino/commands';
import type { VirtualElement } from '@lumino/virtualdom';

import { type ActionJob, type ActionName, type Actions, offered, perform } from '../panel/actions.js';
import { ACTION_LABELS } from '../panel/actionbar.js';
import type { JobsSection } from '../panel/jobs.js';
import { errorText } from '../parts/loading.js';
import type { Say } from '../tokens.js';

export const CommandIDs = {
  open: 'pai-jupyter:open-job',
  openPage: 'pai-jupyter:open-job-page',
  stop: 'pai-jupyter:stop-job',
  rerunForm: 'pai-jupyter:rerun-job-form',
  rerun: 'pai-jupyter:rerun-job',
  clone: 'pai-jupyter:clone-job',
  insertAttach: 'pai-jupyter:attach-job',
  goToCell: 'pai-jupyter:go-to-cell',
  compare: 'pai-jupyter:compare-jobs',
  board: 'pai-jupyter:open-board',
  star: 'pai-jupyter:star-job',
  annotate: 'pai-jupyter:annotate-job',
  report: 'pai-jupyter:report-jobs',
  adopt: 'pai-jupyter:adopt-job',
  remove: 'pai-jupyter:delete-job',
  refresh: 'pai-jupyter:refresh',
  showPanel: 'pai-jupyter:show-panel',
  newComponent: 'pai-jupyter:new-component'
} as const satisfies Record<ActionName | 'refresh' | 'showPanel' | 'newComponent', string>;

const ASKING: ReadonlySet<ActionName> = new Set(['stop', 'remove']);
const WITH_ROWS: ReadonlySet<ActionName> = new Set(['open', 'goToCell', 'star', 'annotate']); // more than ids

export interface CommandHost {
  say(): Say;
  /** The section of jobs, once it has been seen. */
  section(): JobsSection | null;
  /** Bring the panel up, with the focus in its section of jobs; gives that, null where there is none to be had. */
  reveal(): Promise<JobsSection | null>;
  readonly act: Actions;
  /** What is known of these jobs now. */
  rows(ids: readonly string[]): Promise<readonly ActionJob[]>;
  refresh(): void;
  /** Have a new component described. */
  newComponent(): Promise<void>;
  /** Show the sentence of an action that was refused, where no panel can show it. */
  fail(sentence: string): void;
  readonly icon: VirtualElement.IRenderer;
}

/** Add them all; the returned function tells that labels or what is enabled may have changed. */
export function addCommands(commands: CommandRegistry, host: CommandHost): () => void {
  const names = Object.keys(ACTION_LABELS) as ActionName[]; // of a record that has exactly these
  names.forEach(name => addAction(commands, name, host));
  commands.addCommand(CommandIDs.showPanel, {
    label: () => host.say()('Training jobs'),
    caption: () => host.say()('All training jobs, runs, boards, backends, stored files and components'),
    icon: host.icon,
    execute: async () => void (await host.reveal())
  });
  commands.addCommand(CommandIDs.refresh, {
    label: () => host.say()('Refresh training jobs'),
    execute: () => host.refresh()
  });
  commands.addCommand(CommandIDs.newComponent, {
    label: () => host.say()('New Component…'),
    execute: () => host.newComponent()
  });
  return () => Object.values(CommandIDs).forEach(id => commands.notifyCommandChanged(id));
}

function addAction(commands: CommandRegistry, name: ActionName, host: CommandHost): void {
  const isOffered = (ids: readonly string[]): boolean =>
    ids.length > 0 || offered(host.section()?.chosen ?? []).includes(name);
  commands.addCommand(CommandIDs[name], {
    label: () => host.say()(ACTION_LABELS[name]),
    isEnabled: args => isOffered(idsOf(args)),
    isVisible: args => name !== 'adopt' || isOffered(idsOf(args)),
    execute: args => run(name, idsOf(args), host)
  });
}

async function run(name: ActionName, ids: readonly string[], host: CommandHost): Promise<void> {
  if (!ids.length) {
    await host.section()?.act(name);
  } else if (ASKING.has(name)) {
    const section = await host.reveal();
    section?.choose(ids);
    await section?.act(name);
  } else {
    try {
      await perform(host.act, name, WITH_ROWS.has(name) ? await host.rows(ids) : ids.map(id => ({ id })));
    } catch (error) {
      host.fail(errorText(error));
    }
  }
}

function idsOf({ job, jobs }: { job?: unknown; jobs?: unknown }): string[] {
  return (Array.isArray(jobs) ? jobs : [job]).filter(id => typeof id === 'string' && id !== '');
}
