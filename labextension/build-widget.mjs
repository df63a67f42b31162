/**
 * Build the view as an anywidget: pai_jupyter/static/widget.js and widget.css, each as small as it goes.
 *
 * uPlot hangs all that it can draw on itself, so no bundler can see what of it nobody uses. Here that is taken off: the
 * lines are linear, and the dates are ours. It is a fifth of uPlot.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { build } from 'esbuild';
import { minify } from 'terser';

const PLACE = '../pai_jupyter/static/widget';
const UNUSED = [
  /\(paths\.(stepped|bars|spline) += \w+\);/g,
  /uPlot\.(join|fmtDate|tzDate|rangeNum|rangeLog|orient) += \w+;/g
];
const NOTICE = '/*! Has uPlot in it: Copyright (c) Leon Sorokin, MIT License */\n';

const lighterPlot = {
  name: 'lighter-plot',
  setup: ({ onLoad }) =>
    onLoad({ filter: /uPlot\.esm\.js$/ }, async ({ path }) => {
      const whole = await readFile(path, 'utf8');
      const contents = UNUSED.reduce((text, what) => text.replace(what, ''), whole);
      return UNUSED.every(what => whole.search(what) >= 0)
        ? { contents }
        : { errors: [{ text: 'uPlot is another one' }] };
    })
};
const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };

const bundled = await build({
  ...common,
  entryPoints: ['src/widget.ts'],
  format: 'esm',
  target: 'es2022',
  plugins: [lighterPlot],
  write: false
});
const compress = { passes: 2, pure_getters: true }; // nothing is read here for what reading it does
const squeezed = await minify(bundled.outputFiles[0].text, { module: true, ecma: 2020, compress });
await mkdir(dirname(PLACE), { recursive: true });
await writeFile(`${PLACE}.js`, NOTICE + squeezed.code);
await build({ ...common, entryPoints: ['style/index.css'], outfile: `${PLACE}.css` });
