/**
 * Write the language pack of 中文 as JupyterLab's translation service looks for it in a package: the words of src/zh, and
 * those of the settings once more under the contexts that JupyterLab asks for them by.
 *
 * The views carry their words themselves: they speak 中文 where JupyterLab has no language pack, and outside of it.
 */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { build } from 'esbuild';

const [PACK, WORDS, SCHEMAS] = ['../pai_jupyter/locale/zh_CN/LC_MESSAGES/pai_jupyter.json', 'src/zh', 'schema'];
const SAID = new Set(['title', 'description', 'jupyter.lab.setting-icon-label']);
const BEHIND_CONTEXT = '\u0004';

async function words() {
  const contents = (await readdir(WORDS)).map(name => `export * from './${name}';`).join('\n');
  const stdin = { contents, resolveDir: WORDS };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, logLevel: 'warning' });
  const module = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return Object.assign({}, ...Object.values(module));
}

/** The texts of a schema, each behind its context: `schema` for what the whole is called, `settings` for all else. */
function texts(part, isTop = true) {
  return Object.entries(part).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) {
      return texts(value, false);
    }
    const context = isTop && /^\w+$/.test(name) ? 'schema' : 'settings';
    return SAID.has(name) && typeof value === 'string' ? [[context, value]] : [];
  });
}

const said = await words();
const schemas = (await readdir(SCHEMAS)).map(async name => JSON.parse(await readFile(`${SCHEMAS}/${name}`, 'utf8')));
const asked = (await Promise.all(schemas)).flatMap(schema => texts(schema)).filter(([, text]) => text in said);
const entries = [
  ...Object.entries(said),
  ...asked.map(([context, text]) => [context + BEHIND_CONTEXT + text, said[text]])
];
const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const header = { domain: 'pai_jupyter', language: 'zh-CN', plural_forms: 'nplurals=1; plural=0;', version };
const pack = { '': header, ...Object.fromEntries(entries.map(([text, chinese]) => [text, [chinese]])) };
await mkdir(dirname(PACK), { recursive: true });
await writeFile(PACK, `${JSON.stringify(pack, null, 1)}\n`);
