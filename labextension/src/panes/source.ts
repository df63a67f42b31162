/**
 * The Source tab: the exact cell, line for line, the values that it ran with, and the files that were sent along.
 */

import { copyButton, heading, table, textBlock } from '../parts/blocks.js';
import { element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { bytes } from '../text/format.js';
import { block, plain } from '../text/plain.js';
import type { Context, Pane, SourceAnswer } from '../tokens.js';

/** A source pane can point at a line of the cell, from 1. */
export interface SourcePane extends Pane {
  highlight(line: number): void;
}

export function sourcePane(context: Context): SourcePane {
  const loading = new Loading(context.say);
  let lines: HTMLElement[] = [];
  let wanted: number | null = null; // a line that was asked for before the cell came
  let isLoaded = false;

  function parts(answer: SourceAnswer): Node[] {
    isLoaded = true;
    const text = block(answer.cell || answer.script);
    lines = text.split('\n').map(codeLine);
    queueMicrotask(() => wanted !== null && highlight(wanted)); // once the lines are in the page
    return [
      ...code(context, answer, text, lines),
      ...values(context, answer),
      ...files(context, answer)
    ];
  }

  function highlight(line: number): void {
    wanted = line;
    lines.forEach((shown, at) => {
      shown.toggleAttribute('data-highlighted', at + 1 === line);
      if (at + 1 === line && shown.isConnected) {
        shown.scrollIntoView?.({ block: 'nearest' });
        shown.focus({ preventScroll: true });
      }
    });
  }

  return {
    element: loading.element,
    highlight,
    show: isShown => {
      if (isShown && !isLoaded) {
        void loading.load(async () => (await context.source.request('source', {})).ok, parts);
      }
    },
    update: push => {
      if (push.kind === 'snapshot') {
        loading.retry();
      }
    },
    dispose: () => loading.dispose()
  };
}

/** The cell; below it the script as it was sent, where that is not the same text. */
function code(context: Context, answer: SourceAnswer, text: string, lines: HTMLElement[]): Node[] {
  const { say } = context;
  const title = answer.cell ? say('Cell') : plain(answer.entry_point, 200);
  const label = answer.notebook ? `${title} · ${plain(answer.notebook, 200)}` : title;
  const list = element('div', { class: 'pj-JobView-code', tabindex: 0, role: 'group', 'aria-label': title }, ...lines);
  const parts: Node[] = [heading(label, copyButton(context, answer.cell || answer.script, title)), list];
  if (answer.cell && answer.script && answer.script !== answer.cell) {
    const name = plain(answer.entry_point);
    const summary = element('summary', {}, say('Submitted script ({name})', { name }));
    parts.push(element('details', {}, summary, textBlock(block(answer.script), name)));
  }
  return text ? parts : [quiet(say('This job was not submitted from a cell.'))];
}

function codeLine(text: string, at: number): HTMLElement {
  const number = element('span', { class: 'pj-JobView-lineNumber', 'data-number': at + 1, 'aria-hidden': 'true' });
  return element('div', { class: 'pj-JobView-codeLine', tabindex: -1 }, number, element('span', {}, text));
}

function values({ say }: Context, answer: SourceAnswer): Node[] {
  if (!answer.values.length) {
    return [];
  }
  const rows = answer.values.map(({ name, value }) => [plain(name, 200), value === null ? '–' : plain(value, 2_000)]);
  return [heading(say('Hyperparameters')), table(say('Hyperparameters'), [say('Name'), say('Value')], rows)];
}

function files(context: Context, { package: sent }: SourceAnswer): Node[] {
  const { say } = context;
  const rows = sent.files.map(file => [plain(file.name, 500), bytes(file.size), shortDigest(file.digest)]);
  const count = rows.length === 1 ? '{count} file, {size} packed' : '{count} files, {size} packed';
  const total = say(count, { count: rows.length, size: bytes(sent.size) });
  const digest = quiet(`${total} · ${shortDigest(sent.digest)} `);
  if (sent.digest) {
    digest.append(copyButton(context, sent.digest, say('Digest')));
  }
  return [
    heading(say('Submitted files')),
    digest,
    ...(rows.length ? [table(say('Submitted files'), [say('Name'), say('Size'), say('Digest')], rows, [1])] : []),
    ...(sent.is_cut ? [quiet(say('More files are not shown'))] : [])
  ];
}

function shortDigest(digest: string): string {
  return plain(digest, 100).replace(/^sha256:/, '').slice(0, 12);
}
