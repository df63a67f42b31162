import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { CommandIDs } from '../../src/lab/commands.js';
import { DEFAULTS, translateSchema } from '../../src/lab/settings.js';
import { panelSay } from '../../src/panel/translation.js';

interface Item {
  command?: string;
  type?: string;
}
interface Schema {
  properties: Record<string, { title: string; description: string; default: unknown }>;
  'jupyter.lab.menus': { main: { items: Item[] }[]; context: Item[] };
  'jupyter.lab.shortcuts': Item[];
}

const schema = JSON.parse(readFileSync(join(__dirname, '../../schema/panel.json'), 'utf8')) as Schema;

describe('the settings', () => {
  it('have the defaults that hold without them', () => {
    const defaults = Object.entries(schema.properties).map(([name, { default: value }]) => [name, value]);
    expect(Object.fromEntries(defaults)).toEqual(DEFAULTS);
  });

  it('name commands that there are', () => {
    const { main, context } = schema['jupyter.lab.menus'];
    const items = [...main.flatMap(menu => menu.items), ...context, ...schema['jupyter.lab.shortcuts']];
    const named = items.flatMap(({ command }) => command ?? []);
    const known: readonly string[] = Object.values(CommandIDs);
    expect(named.filter(command => !known.includes(command))).toEqual([]);
  });

  it('are said in 中文, all of them', () => {
    const said = Object.values(translateSchema(schema, panelSay('zh')).properties);
    const texts = said.flatMap(({ title, description }) => [title, description]);
    expect(texts.filter(text => !/[\u4e00-\u9fff]/.test(text))).toEqual([]);
  });
});

it('leaves all but titles and descriptions as they are', () => {
  const before = { title: 'Jobs', x: [{ description: 'Jobs', default: 'Jobs' }, 7, null], command: 'Jobs' };
  expect(translateSchema(before, panelSay('zh'))).toEqual({
    title: '作业',
    x: [{ description: '作业', default: 'Jobs' }, 7, null],
    command: 'Jobs'
  });
});
