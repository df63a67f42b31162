/**
 * A recording as a tree of lines, and as the rows of a flame graph: callers above what they call, widths by samples.
 * Pure; `graph.ts` draws it.
 */

import { plain } from '../text/sanitize.js';
import type { ProfileAnswer, Say, StackFrame } from '../tokens.js';

export interface FlameNode {
  readonly name: string;
  readonly isOwn: boolean; // of the job's script
  readonly isProcess: boolean;
  readonly depth: number;
  readonly start: number; // in samples from the left
  readonly samples: number;
  readonly parent: FlameNode | null;
  readonly children: FlameNode[];
}

/** What a frame is called: its place, then its function. */
export function frameName(frame: StackFrame, say: Say): string {
  return [framePlace(frame, say), plain(frame.function, 200)].filter(Boolean).join(' · ');
}

export function framePlace({ file, line, cell, is_own }: StackFrame, say: Say): string {
  if (is_own && cell !== null) {
    return say('cell [{cell}], line {line}', { cell, line });
  }
  return is_own && file === '' ? say('cell line {line}', { line }) : `${plain(file, 200)}${line ? `:${line}` : ''}`;
}

/** The tree of an answer; its root has all samples. Nodes that do not fit into it are left out. */
export function readFlame({ samples, frames, nodes }: ProfileAnswer, say: Say): FlameNode {
  const root = node('', null, 0, 0, samples, false, true);
  const path = [root];
  const ends = [0]; // where the next child of each node of the path begins
  for (const [depth, at, own] of nodes) {
    const parent = path[depth];
    const frame = frames[at];
    if (!parent || (at >= 0 && !frame)) {
      continue;
    }
    const name = frame ? frameName(frame, say) : say('process {pid}', { pid: -at });
    const start = ends[depth] ?? 0;
    const made = node(name, parent, depth, start, own, frame?.is_own ?? false, !frame);
    parent.children.push(made);
    ends[depth] = start + own;
    path.splice(depth + 1, Infinity, made);
    ends.splice(depth + 1, Infinity, start);
  }
  return root;
}

function node(
  name: string,
  parent: FlameNode | null,
  depth: number,
  start: number,
  samples: number,
  isOwn: boolean,
  isProcess: boolean
): FlameNode {
  return { name, parent, depth, start, samples, isOwn, isProcess, children: [] };
}

export interface HotLine {
  readonly name: string;
  own: number; // samples in which it was the innermost
  total: number; // with all that it called
}

/** Every line once, the one that most time was spent in first. */
export function hotLines(root: FlameNode): HotLine[] {
  const found = new Map<string, HotLine>();
  const visit = (one: FlameNode, above: ReadonlySet<string>): void => {
    const line = found.get(one.name) ?? { name: one.name, own: 0, total: 0 };
    if (!one.isProcess) {
      line.own += one.samples - one.children.reduce((sum, child) => sum + child.samples, 0);
      line.total += above.has(one.name) ? 0 : one.samples; // one that calls itself counts once
      found.set(one.name, line);
    }
    const below = new Set([...above, one.name]);
    one.children.forEach(child => visit(child, below));
  };
  visit(root, new Set());
  return [...found.values()].sort((one, other) => other.own - one.own || other.total - one.total);
}
