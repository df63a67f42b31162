// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { RunOutput } from '../../src/lab/runoutput.js';
import { Exchange } from '../../src/wire/protocol.js';
import { WireRun } from '../../src/wire/run.js';
import { pushed, runStep, savedRun } from '../run/runs.js';
import { eventually } from '../turns.js';
import { FarEnd } from '../wire/farend.js';
import { mimeModel } from './bundles.js';

vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
});

let far: FarEnd;
let output: RunOutput;
let sources: WireRun[];

beforeEach(() => {
  far = new FarEnd();
  sources = [];
  const exchange = new Exchange({ send: body => far.hear(body) }, { timeout: null, patience: null });
  far.deliver = message => exchange.receive(message);
  exchange.open();
  const run = (id: string): WireRun => {
    const source = new WireRun(id, exchange, () => undefined);
    sources.push(source);
    return source;
  };
  output = new RunOutput({
    jobs: { server: async () => ({ has_jobs: true, language: 'en' }), run },
    html: () => null,
    host: (_, language) => ({ language })
  });
  document.body.replaceChildren(output.node);
});
afterEach(() => output.dispose());

async function shown(): Promise<WireRun> {
  await output.renderModel(mimeModel(savedRun()));
  return eventually(() => {
    const [source] = sources;
    expect(source).toBeDefined();
    return source as WireRun;
  });
}

it('is live, once the code of the view is there', async () => {
  const { view } = await shown();
  far.deliver({ body: { ...pushed('run', { steps: [runStep('train')] }), view }, buffers: [] });
  expect(output.node.textContent).toContain('train');
  await output.renderModel(mimeModel(savedRun({ status: 'succeeded' })));
  expect(sources.length).toBe(1);
});

it('shows what was saved where the server does not know the run', async () => {
  await shown();
  far.refuse('watch_run', 'NotFoundError', 'There is no run r1.');
  await eventually(() => expect(output.node.textContent).toBe('plain'));
  expect(far.kinds()).toContain('bye');
});

it('asks for nothing where a plan was only drawn, or the payload is not ours', async () => {
  await output.renderModel(mimeModel(savedRun({ id: '', is_plan: true })));
  expect(output.node.textContent).toBe('plain');
  await output.renderModel(mimeModel({ ...savedRun(), status: '<img>' }));
  expect([output.node.textContent, sources.length]).toEqual(['plain', 0]);
});
