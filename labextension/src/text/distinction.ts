/**
 * What tells a job from its neighbours of the same name: the values that are not the same in all of them. Pure.
 *
 * The twin of `pai_jupyter/jobs/distinction.py`; `tests/data/distinction_cases.json` tests both.
 */

/** A job by its name, and its values as texts: `lr=0.3`. */
export interface Named {
  readonly name: string;
  readonly values: readonly string[];
}

/** What jobs are called that belong together: `iris-3`, `iris-12` and `iris_20261122-090000` are all of `iris`. */
export function family(name: string): string {
  return name.replace(/(_\d{8}-\d{6})?(-\d+)?$/, '') || name;
}

/** For each job those of its values in which its family differs, in its order. */
export function distinctions(jobs: readonly Named[]): string[][] {
  const families = new Map<string, { size: number; texts: Map<string, number> }>();
  for (const { name, values } of jobs) {
    const of = family(name);
    const known = families.get(of) ?? { size: 0, texts: new Map<string, number>() };
    families.set(of, known);
    known.size += 1;
    values.forEach(text => known.texts.set(text, (known.texts.get(text) ?? 0) + 1));
  }
  return jobs.map(({ name, values }) => {
    const known = families.get(family(name));
    return values.filter(text => (known?.texts.get(text) ?? 0) < (known?.size ?? 0));
  });
}
