// @vitest-environment jsdom
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { jupyterHeaders, ServerRest } from '../../src/panel/rest.js';
import { RequestError } from '../../src/wire/protocol.js';

interface Asked {
  url: string;
  init: RequestInit;
}

let asked: Asked[];
let reply: () => Response | Promise<Response>;

const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });

function made(token = ''): ServerRest {
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    asked.push({ url, init });
    return reply();
  };
  const credentials = (): Record<string, string> => ({ Authorization: 'token T' });
  return new ServerRest({ api: '/base/api/', token, fetch, credentials, language: 'zh' });
}

async function refusal(promise: Promise<unknown>): Promise<RequestError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RequestError);
  return error as RequestError;
}

beforeEach(() => {
  asked = [];
  reply = () => json({ a: 1 });
});

describe('what is asked', () => {
  test.each([
    [{}, '/base/api/storage'],
    [{ uri: 'oss://b/a b&c=训练?#' }, '/base/api/storage?uri=oss%3A%2F%2Fb%2Fa+b%26c%3D%E8%AE%AD%E7%BB%83%3F%23']
  ])('goes to the address that the query %j makes', async (query, url) => {
    expect(await made().get('storage', query)).toEqual({ a: 1 });
    expect(asked[0]?.url).toBe(url);
  });

  test("is kept out of Jupyter's own way past caches, which adds a parameter that is none", async () => {
    await made().get('storage');
    expect(asked[0]?.init.cache).toBe('no-cache');
  });

  test('has its body as JSON', async () => {
    await made().post('tensorboards', { uri: 'x' }, { a: 'b' });
    expect([asked[0]?.init.method, asked[0]?.init.body]).toEqual(['POST', '{"uri":"x"}']);
    expect(asked[0]?.url).toBe('/base/api/tensorboards?a=b');
  });

  test('says which language the sentences of the answer are to be in', async () => {
    await made().get('storage');
    expect(asked[0]?.init.headers).toEqual({ 'Accept-Language': 'zh' });
  });

  test('deletes', async () => {
    await made().remove('storage', { uri: 'x' });
    expect(asked[0]?.init.method).toBe('DELETE');
  });
});

test.each([
  ['', '/base/api/storage/file?uri=a'],
  ['T&', '/base/api/storage/file?uri=a&token=T%26']
])('the address for a browser with the token %j', (token, address) => {
  expect(made(token).address('storage/file', { uri: 'a' })).toBe(address);
});

describe('what is answered', () => {
  test('may have binary parts', async () => {
    const head = new TextEncoder().encode('{"type":"image","buffers":[2]}  ');
    const frame = new Uint8Array(4 + head.length + 8);
    new DataView(frame.buffer).setUint32(0, head.length, true);
    frame.set(head, 4);
    frame.set([7, 9], 4 + head.length);
    // not a Response: node's buffers are of another realm than those of the page
    reply = () => ({ status: 200, arrayBuffer: async () => frame.buffer }) as unknown as Response;
    const { ok, buffers } = await made().frame<{ type: string }>('storage/preview', { uri: 'a' });
    expect(ok.type).toBe('image');
    expect([...new Uint8Array(buffers[0] ?? new ArrayBuffer(0))]).toEqual([7, 9]);
  });

  test('may be empty', async () => {
    reply = () => new Response(null, { status: 204 });
    expect(await made().remove('tensorboards/1')).toEqual({});
  });

  test('may be a refusal, with its sentence', async () => {
    reply = () => json({ type: 'NotFoundError', message: 'It is gone.', hint: 'Look again.' }, 404);
    const { message, type, hint } = await refusal(made().get('storage'));
    expect([message, type, hint]).toEqual(['It is gone.', 'NotFoundError', 'Look again.']);
  });

  test.each([
    [200, '<html>Log in</html>'],
    [502, 'Bad gateway'],
    [403, '{"message":null}'],
    [500, ''],
    [200, '[1]']
  ])('may be %d and %j, of somebody else', async (status, text) => {
    reply = () => new Response(text, { status });
    const { message, type } = await refusal(made().get('storage'));
    expect(type).toBe('ProtocolError');
    expect(message).toContain(`status ${status}`);
  });

  test('may never come', async () => {
    reply = () => Promise.reject(new TypeError('Failed to fetch'));
    expect((await refusal(made().get('storage'))).type).toBe('Unreachable');
  });

  test('may be too late', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    reply = () =>
      new Promise((_, reject) => {
        limit.signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const asking = refusal(made().get('storage'));
    limit.abort();
    expect((await asking).type).toBe('Timeout');
    timeout.mockRestore();
  });
});

describe('an upload', () => {
  class FakeRequest extends EventTarget {
    static last: FakeRequest;
    readonly upload = new EventTarget();
    readonly headers: Record<string, string> = {};
    opened: string[] = [];
    sent: unknown = null;
    status = 0;
    response = new ArrayBuffer(0);
    constructor() {
      super();
      FakeRequest.last = this;
    }
    open(...opened: string[]): void {
      this.opened = opened;
    }
    setRequestHeader(name: string, value: string): void {
      this.headers[name] = value;
    }
    send(file: unknown): void {
      this.sent = file;
    }
    abort(): void {
      this.dispatchEvent(new Event('abort'));
    }
    answer(status: number, body: unknown): void {
      this.status = status;
      this.response = new TextEncoder().encode(JSON.stringify(body)).buffer as ArrayBuffer;
      this.dispatchEvent(new Event('load'));
    }
  }

  let abort: AbortController;
  let parts: number[][];
  let going: Promise<unknown>;
  const file = new File(['12345'], 'a.txt');

  function begin(): void {
    const how = { progress: (...part: number[]) => parts.push(part), signal: abort.signal };
    going = made().upload('storage/file', { uri: 'oss://b/a.txt' }, file, how);
  }

  beforeEach(() => {
    vi.stubGlobal('XMLHttpRequest', FakeRequest);
    abort = new AbortController();
    parts = [];
    return () => vi.unstubAllGlobals();
  });

  test('is the file as it is, let in as Jupyter asks', async () => {
    begin();
    const { last } = FakeRequest;
    expect(last.opened).toEqual(['PUT', '/base/api/storage/file?uri=oss%3A%2F%2Fb%2Fa.txt']);
    expect(last.headers).toEqual({
      Authorization: 'token T',
      'Accept-Language': 'zh',
      'Content-Type': 'application/octet-stream'
    });
    expect(last.sent).toBe(file);
    last.answer(201, { name: 'a.txt' });
    expect(await going).toEqual({ name: 'a.txt' });
  });

  test('tells how far it is', () => {
    begin();
    FakeRequest.last.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: 3 }));
    expect(parts).toEqual([[3, 5]]);
  });

  test('that is refused has the sentence', async () => {
    begin();
    FakeRequest.last.answer(507, { type: 'BackendError', message: 'The disk is full.' });
    expect((await refusal(going)).message).toBe('The disk is full.');
  });

  test('that is cut off says so', async () => {
    begin();
    FakeRequest.last.dispatchEvent(new Event('error'));
    expect((await refusal(going)).type).toBe('Unreachable');
  });

  test('is cancelled while it goes on, and before it begins', async () => {
    begin();
    abort.abort();
    expect((await refusal(going)).type).toBe('Cancelled');
    begin();
    expect((await refusal(going)).type).toBe('Cancelled');
    expect(FakeRequest.last.sent).toBeNull();
  });
});

test.each([
  ['', '', {}],
  ['T', '', { Authorization: 'token T' }],
  ['', 'a=1; _xsrf=old; b=2; _xsrf=2|ab=', { 'X-XSRFToken': '2|ab=' }],
  ['', 'not_xsrf=1', {}]
])('a page with the token %j and the cookies %j is let in by %j', (token, cookies, headers) => {
  expect(jupyterHeaders(token, cookies)).toEqual(headers);
});
