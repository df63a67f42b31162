/**
 * What can be said of several jobs in a few words each, as rows of tables: how they stand, their values, their last
 * metrics. Pure: every text comes out of the models, and is clean.
 */

import { textOf } from '../cell/values.js';
import { elapsed, numberOf } from '../events.js';
import { glyph, readStatus, statusWord } from '../head/status.js';
import { clock, formatNumber, formatValue, moment } from '../text/format.js';
import { plain } from '../text/sanitize.js';
import { readRunLocation } from '../text/runlocation.js';
import type { JobFacts, JobStateJson, Say } from '../tokens.js';
import { bestOf } from './bestvalue.js';
import type { ComparedJob } from './job.js';

/** One line of a table: what it is about, and what it is for each job. */
export interface Row {
  readonly name: string;
  readonly texts: readonly string[];
  readonly differs: boolean; // and it is worth knowing
  readonly best?: readonly number[]; // the jobs whose value is the best
}

export interface Tables {
  readonly state: Row[];
  readonly values: Row[];
  readonly metrics: Row[];
}

const NONE = '–';
const names = new Intl.Collator(undefined, { numeric: true });

/** `baseline` is the place of the job that the others are compared with; -1: none. */
export function tablesOf(jobs: readonly ComparedJob[], say: Say, baseline = -1): Tables {
  return { state: stateRows(jobs, say), values: valueRows(jobs, baseline), metrics: metricRows(jobs, say, baseline) };
}

function stateRows(jobs: readonly ComparedJob[], say: Say): Row[] {
  const row = (name: string, text: (job: ComparedJob) => string): Row => rowOf(say(name), jobs.map(text));
  const compared = (name: string, text: (job: JobFacts) => string): Row =>
    rowOf(
      say(name),
      jobs.map(({ model }) => (model.job ? text(model.job) : '')),
      text => text
    );
  const rows = [
    row('State', job => stateText(job, say)),
    row('Reason', ({ model }) => plain(model.failure?.cause ?? model.state.reason)),
    row('Running time', ({ model }) => timeText(model.state, model.now())),
    row('Created at', ({ model }) => (model.job ? moment(model.job.created) : '')),
    compared('Run on', ({ place, title }) => readRunLocation(place, say, title).backend),
    compared('Instances', ({ machines, instance_type, instance_count }) =>
      plain(machines ?? `${instance_type} ×${instance_count}`, 200)
    ),
    compared('Notebook', ({ notebook }) => plain(notebook))
  ];
  return rows.filter(({ texts }) => texts.some(text => text !== NONE));
}

function stateText({ model, status }: ComparedJob, say: Say): string {
  if (!model.job && status !== 'offline') {
    return say('Loading…');
  }
  const state = readStatus(model.job ? model.state.status : 'unknown');
  return `${glyph(state)} ${statusWord(state, say)}`;
}

function timeText(state: JobStateJson, now: number): string {
  const spent = elapsed(state, now);
  return spent === null ? '' : clock(spent);
}

function valueRows(jobs: readonly ComparedJob[], baseline: number): Row[] {
  const values = jobs.map(({ model }) => model.job?.values ?? {});
  return allNames(values).map(name => {
    const own = values.map(held => (Object.hasOwn(held, name) ? held[name] : undefined));
    const base = baseline < 0 ? null : JSON.stringify(own[baseline]);
    const texts = own.map(value => {
      const text = value === '' ? '""' : plain(textOf(value)) || NONE;
      return base === null || base === JSON.stringify(value) ? text : `≠ ${text}`;
    });
    return { name: plain(name, 100), texts, differs: new Set(own.map(value => JSON.stringify(value))).size > 1 };
  });
}

function metricRows(jobs: readonly ComparedJob[], say: Say, baseline: number): Row[] {
  const metrics = jobs.map(({ model }) => model.state.metrics);
  const text = ([value, step]: JobStateJson['metrics'][string]): string => {
    const at = step === null ? '' : ` (${say('step {step}', { step: formatNumber(numberOf(step), 6) })})`;
    return formatValue(numberOf(value), '') + at;
  };
  return allNames(metrics).map(name => {
    const own = metrics.map(held => (Object.hasOwn(held, name) ? held[name] : undefined));
    const best = bestOf(
      name,
      own.map(held => (held ? numberOf(held[0]) : NaN))
    );
    const base = numberOf(own[baseline]?.[0] ?? 'nan');
    const texts = own.map((held, job) => {
      const difference = held && job !== baseline ? differenceText(numberOf(held[0]), base) : '';
      return held ? [text(held), difference, best.includes(job) ? say('best') : ''].filter(Boolean).join(' · ') : '';
    });
    return { ...rowOf(plain(name, 100), texts), best };
  });
}

/** By how much a value is above or below the baseline, with its part of it: "+0.25 (+50 %)"; '' where there is none. */
export function differenceText(value: number, base: number): string {
  const difference = value - base;
  if (!Number.isFinite(difference)) {
    return '';
  }
  const signed = (number: number, digits: number): string =>
    (number < 0 ? '−' : number > 0 ? '+' : '±') + formatNumber(Math.abs(number), digits);
  const part = (100 * difference) / Math.abs(base);
  return signed(difference, 3) + (Number.isFinite(part) && difference !== 0 ? ` (${signed(part, 2)} %)` : '');
}

function allNames(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap(record => Object.keys(record)))].sort(names.compare);
}

/** `compared` gives the part of a text in which jobs may differ; without it they always do, and nobody wonders. */
function rowOf(name: string, texts: readonly string[], compared: (text: string) => string = () => ''): Row {
  const shown = texts.map(text => text || NONE);
  return { name, texts: shown, differs: new Set(shown.map(compared)).size > 1 };
}
