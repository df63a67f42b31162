/**
 * The exchange of a view that is an anywidget: data come over the comm, from the kernel.
 *
 * Rule 1: what the kernel knew when it made the widget stands in `first`, so a view is drawn without a question: a
 *   kernel that is busy with a cell answers none.
 * Rule 2: requests are the content of custom messages, and so are answers and pushes, with their buffers. Every view of
 *   a model hears all of them, on every page that is connected to the kernel, and takes what is its own.
 * Rule 3: a view on a page that is seen says a word now and then: to one that is silent the kernel pushes no more
 *   (`pai_jupyter/view/attention.py`).
 */

import { Disposables } from '../parts/dom.js';
import { type Body, readComm } from './frames.js';
import { Exchange } from './protocol.js';

const PATIENCE = 300; // milliseconds
const PULSE = 20_000;

/** What an anywidget is given, as far as it is used here. */
export interface WidgetModel {
  get(name: string): unknown;
  send(content: unknown): void;
  on(event: string, listener: (...news: unknown[]) => void): void;
  off(event: string, listener: (...news: unknown[]) => void): void;
}

/**
 * An exchange over the model's messages, and the function that ends it; `begin` draws what the kernel knew, once a view
 * is there. `gone` is said when the kernel is.
 */
export function connect(
  model: WidgetModel,
  gone: string
): { exchange: Exchange; begin: () => void; release: () => void } {
  const exchange = new Exchange({ send: body => say(body) }, { timeout: null, patience: PATIENCE });
  const lose = (): void => exchange.lost(gone);
  const say = (body: Body): void => {
    try {
      model.send(body);
    } catch {
      lose(); // the comm is closed
    }
  };
  const listeners: [string, (...news: unknown[]) => void][] = [
    ['msg:custom', (content, buffers) => hear(exchange, content, buffers)],
    ['comm_live_update', lose], // it was live when the view was made
    ['destroy', lose]
  ];
  const wave = (): void => {
    if (!document.hidden) {
      exchange.tell({ kind: 'bye', job: '', view: '' }); // the cheapest word
    }
  };
  const lasting = new Disposables();
  const timer = setInterval(wave, PULSE);
  lasting.add(() => clearInterval(timer));
  lasting.listen(document, 'visibilitychange', wave);
  listeners.forEach(([event, listener]) => model.on(event, listener));
  exchange.open();
  const release = (): void => {
    lasting.dispose();
    listeners.forEach(([event, listener]) => model.off(event, listener));
  };
  return { exchange, begin: () => hear(exchange, model.get('first'), []), release };
}

function hear(exchange: Exchange, content: unknown, buffers: unknown): void {
  const message = readComm(content, buffers);
  if (message && exchange.status === 'offline') {
    exchange.open(); // whoever is heard is there again
  }
  if (message) {
    exchange.receive(message);
  }
}
