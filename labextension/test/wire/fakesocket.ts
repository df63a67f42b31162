/** A WebSocket whose other end is played by the test: it accepts, hears, says and drops. */
export class FakeSocket {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 0;
  binaryType = 'blob';
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly heard: Record<string, unknown>[] = [];

  constructor(readonly address: string) {
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    if (this.readyState !== FakeSocket.OPEN) {
      throw new Error('still connecting');
    }
    this.heard.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }

  accept(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  say(data: unknown): void {
    this.onmessage?.({ data });
  }

  answer(kind: string, ok: unknown = {}): void {
    const asked = this.heard.filter(body => body['kind'] === kind).at(-1);
    this.say(JSON.stringify({ id: asked?.['id'], ok }));
  }

  kinds(): unknown[] {
    return this.heard.map(body => body['kind']);
  }
}
