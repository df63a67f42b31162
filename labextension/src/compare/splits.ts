/**
 * Which metrics are one and the same of several parts of the data: `loss` and `val_loss`, `train/acc` and `test/acc`.
 * Pure.
 *
 * Rule 1: the words of a name are taken as `bestvalue.ts` takes them; the first one that names a part of the data is
 *   left out, and what remains is the metric. A name without such a word is of the training data, if that metric has
 *   others.
 * Rule 2: a metric is only joined where there are two parts of it; a name that is a part alone (`val`) is a metric.
 */

export type Split = 'train' | 'val' | 'test';

const WORDS: ReadonlyMap<string, Split> = new Map([
  ['train', 'train'],
  ['training', 'train'],
  ['val', 'val'],
  ['valid', 'val'],
  ['validation', 'val'],
  ['dev', 'val'],
  ['eval', 'val'],
  ['test', 'test'],
  ['testing', 'test']
]);
const ORDER: readonly Split[] = ['train', 'val', 'test'];
const CAMEL = /([a-z\d])([A-Z][a-z])/g;

export interface SplitName {
  readonly metric: string;
  readonly split: Split | null; // null: the name says none
}

export function splitName(name: string): SplitName {
  const words = name.replace(CAMEL, '$1_$2').split(/([^\p{L}\p{N}]+)/u);
  const at = words.findIndex(word => WORDS.has(word.toLowerCase()));
  if (at < 0) {
    return { metric: name, split: null };
  }
  const split = WORDS.get(words[at]?.toLowerCase() ?? '') ?? null;
  // with the word goes what joins it to the next one, else to the one before
  const rest = words.filter((_, place) => place !== at && place !== (at + 1 < words.length - 1 ? at + 1 : at - 1));
  const metric = rest.join('').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  return metric === '' ? { metric: name, split: null } : { metric, split };
}

/** The metric that each of these names belongs to, by name; those of one part alone belong to themselves. */
export function joinedMetrics(names: readonly string[]): Map<string, SplitName> {
  const read = new Map([...new Set(names)].map((name): [string, SplitName] => [name, splitName(name)]));
  const parts = new Map<string, { title: string; splits: Set<Split> }>();
  for (const { metric, split } of read.values()) {
    const known = parts.get(keyOf(metric)) ?? { title: metric, splits: new Set() };
    parts.set(keyOf(metric), { ...known, splits: known.splits.add(split ?? 'train') });
  }
  return new Map(
    [...read].map(([name, { metric, split }]): [string, SplitName] => {
      const part = parts.get(keyOf(metric));
      const isJoined = part !== undefined && part.splits.size > 1;
      return [name, isJoined ? { metric: part.title, split: split ?? 'train' } : { metric: name, split: null }];
    })
  );
}

/** The place of a part in a legend: training comes first. */
export function splitRank(split: Split | null): number {
  return split === null ? 0 : ORDER.indexOf(split);
}

/** "valLoss" and "val_loss" are of "loss"; "Loss" is, too. */
function keyOf(metric: string): string {
  return metric.toLowerCase();
}
