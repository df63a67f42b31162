/**
 * The Source tab: the values that the job ran with, the exact cell, line for line, and the files that were sent along.
 *
 * The cell is as it was written, below the lines that its script has of other cells. A line of it that declares a value
 * which the run had otherwise is marked, and says so.
 */

import { copyButton, heading, table, textBlock } from '../parts/blocks.js';
import { element, quiet } from '../parts/dom.js';
import { Loading } from '../parts/loading.js';
import { bytes } from '../text/format.js';
import { block, plain } from '../text/sanitize.js';
import type { Context, Pane, Scalar, SourceAnswer } from '../tokens.js';

/** A source pane can point at a line of the cell, from 1; lines of other cells above it count from 0 down. */
export interface SourcePane extends Pane {
  highlight(line: number): void;
}

export function sourcePane(context: Context): SourcePane {
  const loading = new Loading(context.say);
  let lines: HTMLElement[] = [];
  let wanted: number | null = null; // a line that was asked for before the cell came
  let isLoaded = false;
  let before = 0; // lines of other cells

  function parts(answer: SourceAnswer): Node[] {
    isLoaded = true;
    const above = answer.above ?? [];
    before = above.length;
    const text = block([...answer.script.split('\n').slice(0, before), answer.cell || answer.script].join('\n'));
    const notes = ranWith(context, answer);
    lines = text.split('\n').map((line, at) => {
      const number = at < before ? (above[at] ?? 0) : at + 1 - before;
      return codeLine(line, number, at < before ? '' : (notes.get(number) ?? ''));
    });
    queueMicrotask(() => wanted !== null && highlight(wanted)); // once the lines are in the page
    return [...values(context, answer), ...code(context, answer, text, lines), ...files(context, answer)];
  }

  function highlight(line: number): void {
    wanted = line;
    lines.forEach((shown, at) => {
      shown.toggleAttribute('data-highlighted', at + 1 - before === line);
      if (at + 1 - before === line && shown.isConnected) {
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

/** `note` says what the run had in the place of what the line says; '' where it had just that. */
function codeLine(text: string, number: number, note: string): HTMLElement {
  const place = { class: 'pj-JobView-lineNumber', 'data-number': number || '', 'aria-hidden': 'true' };
  const line = element(
    'div',
    { class: 'pj-JobView-codeLine', tabindex: -1 },
    element('span', place),
    element('span', {}, text)
  );
  if (note) {
    line.dataset['changed'] = '';
    line.append(element('span', { class: 'pj-JobView-ranWith' }, note));
  }
  return line;
}

/** By the number of a line: the values that the run had otherwise. */
function ranWith({ say }: Context, { values: all }: SourceAnswer): Map<number, string> {
  const told = new Map<number, string>();
  for (const { name, value, written } of all) {
    if (written?.line) {
      const texts = [told.get(written.line), `${plain(name, 200)} = ${shown(value, 200)}`];
      told.set(written.line, texts.filter(Boolean).join(', '));
    }
  }
  return new Map([...told].map(([line, text]) => [line, say('ran with {values}', { values: text })]));
}

/** All that it ran with; beside those that the cell has otherwise, what it says. */
function values({ say }: Context, answer: SourceAnswer): Node[] {
  if (!answer.values.length) {
    return [];
  }
  const label = say('Hyperparameters');
  const isChanged = answer.values.some(({ written }) => written);
  const rows = answer.values.map(({ name, value, written }) => {
    const own = isChanged ? [written ? shown(written.value, 2_000) : ''] : [];
    return [plain(name, 200), shown(value, 2_000), ...own];
  });
  const own = isChanged ? [say(answer.cell ? 'In the cell' : 'In the script')] : [];
  return [heading(label), table(label, [say('Name'), say('Value'), ...own], rows)];
}

function shown(value: Scalar, most: number): string {
  return value === null ? '–' : plain(value, most);
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
  return plain(digest, 100)
    .replace(/^sha256:/, '')
    .slice(0, 12);
}
