// @vitest-environment jsdom
import type { IRenderMime } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { ServerFacts } from '../../src/lab/jobs.js';
import { JobOutput } from '../../src/lab/output.js';
import { Exchange } from '../../src/wire/protocol.js';
import { WireSource } from '../../src/wire/source.js';
import { FarEnd, snapshot } from '../wire/farend.js';
import { mimeModel, savedJob } from './bundles.js';

vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
});

const ID = savedJob().id;

class StaticHtml extends Widget implements IRenderMime.IRenderer {
  renderModel({ data, trusted }: IRenderMime.IMimeModel): Promise<void> {
    this.node.textContent = `${trusted ? 'trusted' : 'sanitised'}: ${String(data['text/html'])}`;
    return Promise.resolve();
  }
}

/** An output on a page, with the server that it asks. */
class Page {
  readonly far = new FarEnd();
  facts: ServerFacts = { has_jobs: true, language: 'en' };
  hasHtml = true;
  mounted: string[] = [];
  released = 0;
  readonly exchange = new Exchange({ send: body => this.far.hear(body) }, { timeout: null, patience: null });
  readonly output = new JobOutput({
    jobs: { server: () => Promise.resolve(this.facts), source: job => this.source(job) },
    html: () => (this.hasHtml ? new StaticHtml() : null),
    host: (_, language) => ({ language })
  });

  constructor() {
    this.far.deliver = message => this.exchange.receive(message);
    this.exchange.open();
    document.body.replaceChildren(this.output.node);
  }

  get text(): string {
    return this.output.node.textContent;
  }

  get view(): Element | null {
    return this.output.node.querySelector('.pj-JobView');
  }

  async refuse(type: string): Promise<void> {
    this.far.refuse('hello', type, 'no.');
    await settle();
  }

  private source(job: string): WireSource {
    this.mounted.push(job);
    return new WireSource(job, this.exchange, { download: () => null, release: () => (this.released += 1) });
  }
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1);
let page: Page;

beforeEach(() => {
  vi.useFakeTimers();
  page = new Page();
});
afterEach(() => {
  page.output.dispose();
  vi.useRealTimers();
});

it('draws the job live', async () => {
  await page.output.renderModel(mimeModel(savedJob()));
  page.far.push(snapshot(0, ID));
  expect(page.view?.textContent).toContain('iris-3fa2c1');
  expect(page.mounted).toEqual([ID]);
});

it('does not mount again when the bundle is updated', async () => {
  const model = mimeModel(savedJob());
  await Promise.all([page.output.renderModel(model), page.output.renderModel(model)]);
  const { view } = page;
  await page.output.renderModel(mimeModel(savedJob({ state: 'succeeded' })));
  expect([page.view, page.mounted]).toEqual([view, [ID]]);
});

it('mounts the other job when the bundle is of another one', async () => {
  await page.output.renderModel(mimeModel(savedJob()));
  await page.output.renderModel(mimeModel(savedJob({ id: 'j2' })));
  expect([page.mounted, page.released]).toEqual([[ID, 'j2'], 1]);
  expect(page.output.node.querySelectorAll('.pj-JobView')).toHaveLength(1);
});

it('shows the static result of a job that this server does not know', async () => {
  await page.output.renderModel(mimeModel(savedJob()));
  await page.refuse('NotFoundError');
  expect([page.text, page.released]).toEqual(['sanitised: <b>static</b>', 1]);
});

it('runs no script of the static result, even in a notebook that is trusted', async () => {
  page.facts = { has_jobs: false, language: 'en' };
  await page.output.renderModel({ ...mimeModel(savedJob()), trusted: true });
  expect(page.text).toBe('sanitised: <b>static</b>');
});

it('updates the static result, and does not ask for the job again', async () => {
  await page.output.renderModel(mimeModel(savedJob()));
  await page.refuse('NotFoundError');
  await page.output.renderModel(mimeModel(savedJob(), { 'text/html': 'newer' }));
  expect([page.text, page.mounted]).toEqual(['sanitised: newer', [ID]]);
});

it('stays live when the server has other trouble', async () => {
  await page.output.renderModel(mimeModel(savedJob()));
  await page.refuse('UnavailableError');
  expect(page.view).not.toBeNull();
});

it('shows the static result where the server lacks our extension', async () => {
  page.facts = { has_jobs: false, language: 'en' };
  await page.output.renderModel(mimeModel(savedJob()));
  expect([page.text, page.mounted]).toEqual(['sanitised: <b>static</b>', []]);
});

it.each<[string, boolean, Record<string, unknown>]>([
  ['no renderer for HTML', false, {}],
  ['no HTML', true, { 'text/html': undefined }],
  ['odd HTML', true, { 'text/html': 7 }]
])('shows the text where there is %s', async (_, hasHtml, changes) => {
  page.facts = { has_jobs: false, language: 'en' };
  page.hasHtml = hasHtml;
  await page.output.renderModel(mimeModel(savedJob(), changes));
  expect(page.text).toBe('plain');
});

it('shows only text of a payload that was tampered with, and asks for nothing', async () => {
  const text = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  await page.output.renderModel(mimeModel({ ...savedJob(), id: '../../etc' }, { 'text/plain': text }));
  expect(page.text).toBe(text);
  expect(page.output.node.querySelectorAll('img, script')).toHaveLength(0);
  expect([page.mounted, page.far.heard]).toEqual([[], []]);
});

it('shows hostile facts of a saved job as text', async () => {
  const hostile = '<img src=x onerror="alert(1)">';
  const saved = savedJob({ name: hostile, place: hostile, at: hostile, values: { [hostile]: hostile } });
  await page.output.renderModel(mimeModel(saved));
  expect(page.output.node.querySelectorAll('img')).toHaveLength(0);
  expect(page.text).toContain(hostile);
});

it.each([[undefined], [null], [7], ['text'], [[savedJob()]]])('shows only text for the payload %j', async payload => {
  await page.output.renderModel(mimeModel(payload, { 'text/plain': undefined }));
  expect(page.text).toBe('');
});

it("speaks the server's language", async () => {
  page.facts = { has_jobs: true, language: 'zh' };
  await page.output.renderModel(mimeModel(savedJob()));
  page.far.push(snapshot(0, ID));
  expect(page.text).toMatch(/[\u4e00-\u9fff]/);
});

it('leaves nothing behind when it is disposed of', async () => {
  await page.output.renderModel(mimeModel(savedJob()));
  page.far.push(snapshot(0, ID));
  page.output.dispose();
  expect([page.released, page.far.kinds().at(-1), vi.getTimerCount()]).toEqual([1, 'bye', 0]);
});

it('mounts nothing when it is disposed of while it waits for the server', async () => {
  const drawn = page.output.renderModel(mimeModel(savedJob()));
  page.output.dispose();
  await drawn;
  expect(page.mounted).toEqual([]);
});
