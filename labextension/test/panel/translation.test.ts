/** Every text that the panel and its neighbours say has a Chinese one. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';
import { expect, it } from 'vitest';

import { clusterSay } from '../../src/cluster/translation.js';
import { componentSay } from '../../src/component/translation.js';
import { ACTION_LABELS } from '../../src/panel/actionbar.js';
import { panelSay } from '../../src/panel/translation.js';
import { zhCharts } from '../../src/zh/charts.js';
import { zhCluster } from '../../src/zh/cluster.js';
import { zhCompare } from '../../src/zh/compare.js';
import { zhComponent } from '../../src/zh/component.js';
import { zhHost } from '../../src/zh/host.js';
import { zhLogs } from '../../src/zh/logs.js';
import { lookWord } from '../../src/run/status.js';
import { runSay } from '../../src/run/translation.js';
import { stacksSay } from '../../src/stacks/translation.js';
import { zhPanel } from '../../src/zh/panel.js';
import { zhRun } from '../../src/zh/run.js';
import { zhStacks } from '../../src/zh/stacks.js';
import { zhStorage } from '../../src/zh/storage.js';
import { zhView } from '../../src/zh/view.js';

const SOURCES = join(__dirname, '../../src');
const filesOf = (...folders: readonly string[]): string[] =>
  folders.flatMap(folder =>
    readdirSync(join(SOURCES, folder))
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name))
  );
const lacking = (texts: readonly string[], say = panelSay('zh')): string[] =>
  texts.filter(text => say(text) === text && /[a-z]{2}/.test(text));

/** The texts that are said as they stand in the source. */
function said(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(SOURCES, file), 'utf8'), ts.ScriptTarget.ES2022, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /\bsay\)?(\(\))?$/.test(node.expression.getText())) {
      const [first] = node.arguments;
      if (first && ts.isStringLiteral(first)) {
        texts.push(first.text);
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
}

it.each(filesOf('panel', 'lab', 'storage', 'compare', 'cell', 'table'))('%s', file => {
  expect(lacking(said(file)).filter(text => text !== 'TensorBoard')).toEqual([]);
});

it.each(filesOf('component'))('%s', file => {
  expect(lacking(said(file), componentSay('zh'))).toEqual([]);
});

it.each(filesOf('cluster'))('%s', file => {
  expect(lacking(said(file), clusterSay('zh'))).toEqual([]);
});

it.each(filesOf('stacks'))('%s', file => {
  expect(lacking(said(file), stacksSay('zh'))).toEqual([]);
});

it.each(filesOf('run'))('%s', file => {
  expect(lacking(said(file), runSay('zh'))).toEqual([]);
});

it('how a run and its steps stand', () => {
  const words = [...'succeeded running blocked waiting skipped failed stopped unknown'.split(' ')];
  expect(words.map(word => lookWord(word, runSay('zh'))).filter(word => /[a-z]/.test(word))).toEqual([]);
});

it('no text means two things', () => {
  const words = [
    zhView,
    zhLogs,
    zhCharts,
    zhHost,
    zhPanel,
    zhStorage,
    zhCompare,
    zhComponent,
    zhCluster,
    zhRun,
    zhStacks
  ];
  const meanings = new Map<string, string>();
  const twice = words
    .flatMap(said => Object.entries(said))
    .filter(([text, chinese]) => {
      const first = meanings.get(text) ?? chinese;
      meanings.set(text, first);
      return first !== chinese;
    });
  expect(twice).toEqual([]);
});

it('names of actions', () => {
  expect(lacking(Object.values(ACTION_LABELS))).toEqual(['TensorBoard']);
});
