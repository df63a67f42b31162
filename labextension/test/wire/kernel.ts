/** The model of a widget, with a kernel behind it. */

import type { WidgetModel } from '../../src/wire/comm.js';
import type { Body } from '../../src/wire/frames.js';
import { FarEnd } from './farend.js';

type Listener = (...news: unknown[]) => void;

/** A model as anywidget gives it, with a kernel behind it that answers when it is told to. */
export class Kernel extends FarEnd implements WidgetModel {
  isGone = false;
  private readonly listeners: [string, Listener][] = [];

  constructor(readonly traits: Record<string, unknown>) {
    super();
    this.deliver = ({ body, buffers }) =>
      this.trigger(
        'msg:custom',
        body,
        buffers.map(buffer => new DataView(buffer))
      );
  }

  get listenerCount(): number {
    return this.listeners.length;
  }

  get(name: string): unknown {
    return this.traits[name];
  }

  send(content: unknown): void {
    if (this.isGone) {
      throw new Error('Cannot send');
    }
    this.hear(content as Body);
  }

  on(event: string, listener: Listener): void {
    this.listeners.push([event, listener]);
  }

  off(event: string, listener: Listener): void {
    this.listeners.splice(
      this.listeners.findIndex(([name, one]) => name === event && one === listener),
      1
    );
  }

  trigger(event: string, ...news: unknown[]): void {
    this.listeners.filter(([name]) => name === event).forEach(([, listener]) => listener(...news));
  }
}
