/**
 * Build the views as anywidgets, each as small as it goes: in pai_jupyter/static, widget.js that of a job, runwidget.js
 * that of a run, and widget.css for both.
 *
 * uPlot hangs all that it can draw on itself, so no bundler can see what of it nobody uses. Here that is taken off: the
 * lines are linear, and the dates are ours. It is a fifth of uPlot.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';

import { build } from 'esbuild';
import { minify } from 'terser';

const PLACE = '../pai_jupyter/static';
const UNUSED = [
  /\(paths\.(stepped|bars|spline) += \w+\);/g,
  /uPlot\.(join|fmtDate|tzDate|rangeNum|rangeLog|orient) += \w+;/g,
  // axes of dates: what makes them is called at the start, used or not
  /const \[ timeIncrs\w+, +_timeAxisStamps\w+, +timeAxisSplits\w+ +\] = genTimeStuffs\([\d.e-]+\);/g,
  /const _(tzDate|fmtDate|timeAxisSplits|timeAxisVals|timeSeriesVal) += .*;/g
];
// Each `[what, instead]`: no scale of ours is of dates.
const CONSTANT = [[/let isTime = .*;/g, 'const isTime = false;']];
const NOTICE = '/*! Has uPlot in it: Copyright (c) Leon Sorokin, MIT License */\n';

const lighterPlot = {
  name: 'lighter-plot',
  setup: ({ onLoad }) =>
    onLoad({ filter: /uPlot\.esm\.js$/ }, async ({ path }) => {
      const whole = await readFile(path, 'utf8');
      const cuts = [...UNUSED.map(what => [what, '']), ...CONSTANT];
      const contents = cuts.reduce((text, [what, instead]) => text.replace(what, instead), whole);
      return cuts.every(([what]) => whole.search(what) >= 0)
        ? { contents }
        : { errors: [{ text: 'uPlot is another one' }] };
    })
};
const withoutChinese = {
  name: 'without-chinese',
  setup: ({ onLoad }) =>
    onLoad({ filter: /src\/zh\/\w+\.ts$/ }, async ({ path }) => {
      const names = (await readFile(path, 'utf8')).matchAll(/^export const (\w+)/gm);
      return { contents: [...names].map(([, name]) => `export const ${name} = {};`).join('\n'), loader: 'ts' };
    })
};
const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };

async function bundle(entry, name, plugins = [], notice = '') {
  const entryPoints = [entry];
  const bundled = await build({ ...common, entryPoints, format: 'esm', target: 'es2022', plugins, write: false });
  const compress = { passes: 2, pure_getters: true }; // nothing is read here for what reading it does
  const squeezed = await minify(bundled.outputFiles[0].text, { module: true, ecma: 2020, compress });
  await writeFile(`${PLACE}/${name}.js`, notice + squeezed.code);
}

await mkdir(PLACE, { recursive: true });
await bundle('src/widget.ts', 'widget', [lighterPlot, withoutChinese], NOTICE);
await bundle('src/widget.ts', 'widget.zh', [lighterPlot], NOTICE);
await bundle('src/run/widget.ts', 'runwidget', [withoutChinese]);
await bundle('src/run/widget.ts', 'runwidget.zh');
await bundle('src/page/page.ts', 'page', [lighterPlot], NOTICE);
await build({ ...common, entryPoints: ['style/index.css'], outfile: `${PLACE}/widget.css` });
await build({ ...common, entryPoints: ['style/page.css'], outfile: `${PLACE}/page.css` });
