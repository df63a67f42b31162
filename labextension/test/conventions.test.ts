/** What is agreed on about the sources themselves, where the compiler has no word for it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(__dirname, '..');
const FORBIDDEN: ReadonlySet<string> = new Set([
  'innerHTML',
  'outerHTML',
  'insertAdjacentHTML',
  'createContextualFragment',
  'eval',
  'console',
  'globalThis'
]);

function files(folder: string, ending: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter(name => name.endsWith(ending))
    .sort()
    .map(name => join(folder, name));
}

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

/** Why this part of a file may not be as it is. */
function complaint(node: ts.Node): string | null {
  if (node.kind === ts.SyntaxKind.AnyKeyword) {
    return '`any`: say what it is, or `unknown`';
  }
  if (ts.isNonNullExpression(node)) {
    return '`!`: check it';
  }
  if (node.kind === ts.SyntaxKind.PrivateKeyword) {
    return '`private`: name it `#so`';
  }
  return ts.isIdentifier(node) && FORBIDDEN.has(node.text) ? `\`${node.text}\` is not for a view` : null;
}

function complaints(name: string): string[] {
  const source = ts.createSourceFile(name, read(name), ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const why = complaint(node);
    if (why) {
      found.push(`${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${why}`);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

describe('a source', () => {
  it.each(files('src', '.ts'))('says what things are, and stays away from what runs text: %s', name => {
    expect(complaints(name)).toEqual([]);
  });

  it.each(files('test', '.ts').filter(name => read(name).includes('any')))('so does a test: %s', name => {
    expect(complaints(name).filter(why => why.includes('`any`'))).toEqual([]);
  });

  it.each([...files('src', '.ts'), ...files('test', '.ts'), ...files('style', '.css')])('has short lines: %s', name => {
    const lines = read(name).split('\n');
    expect(lines.filter(line => line.length > 120 || /\s$|\t/.test(line))).toEqual([]);
  });

  it.each(files('src', '.ts').filter(name => !/zh\/|index\.ts/.test(name)))('opens with its theory: %s', name => {
    expect(read(name)).toMatch(/^\/\*\*/);
  });
});

describe('the styles', () => {
  const sheets = files('style', '.css');
  const bare = (name: string): string => read(name).replace(/\/\*[\s\S]*?\*\/|:is\([^)]*\)/g, '');

  it('have one sheet a class', () => {
    const owners = new Map<string, Set<string>>();
    for (const sheet of sheets) {
      for (const [, list = ''] of bare(sheet).matchAll(/(?:^|\})\s*([^{}@]+)\{/g)) {
        for (const selector of list.split(',')) {
          const [own = ''] =
            selector
              .trim()
              .split(/[\s>+~]+/)
              .at(-1)
              ?.match(/^\.pj-JobView-\w+/) ?? [];
          const isScoped = /\s/.test(selector.trim());
          if (own && !isScoped) {
            owners.set(own, (owners.get(own) ?? new Set()).add(sheet));
          }
        }
      }
    }
    expect([...owners].filter(([, names]) => names.size > 1)).toEqual([]);
  });

  it('are of what is there', () => {
    const made = files('src', '.ts').map(read).join();
    const styled = sheets.flatMap(sheet => bare(sheet).match(/(?<=pj-JobView-)[a-zA-Z]+/g) ?? []);
    const missing = [...new Set(styled)].filter(name => !new RegExp(`\\b${name}\\b`).test(made));
    expect(missing).toEqual(['ansiFore', 'ansiBack']); // these are put together
  });
});
