import { expect, it } from 'vitest';

import { readComm, readFrame } from '../../src/wire/frames.js';
import { binaryFrame } from './farend.js';

const numbers = (buffer: ArrayBuffer | undefined): number[] => [...new Float64Array(buffer ?? new ArrayBuffer(0))];

it('reads a text frame', () => {
  expect(readFrame('{"kind": "a", "名": "训练\\n"}')).toEqual({ body: { kind: 'a', 名: '训练\n' }, buffers: [] });
});

it('reads the buffers of a binary frame, whatever their lengths', () => {
  const steps = Float64Array.of(1, 2, 3).buffer;
  const image = Uint8Array.of(137, 80, 78).buffer;
  const read = readFrame(binaryFrame({ id: 'a', 名: '训练' }, [image, steps, new ArrayBuffer(0)]));
  expect(read?.body['名']).toBe('训练');
  expect([...new Uint8Array(read?.buffers[0] ?? new ArrayBuffer(0))]).toEqual([137, 80, 78]);
  expect(numbers(read?.buffers[1])).toEqual([1, 2, 3]);
  expect(read?.buffers[2]?.byteLength).toBe(0);
});

it('reads a binary frame without buffers', () => {
  expect(readFrame(binaryFrame({ id: 'a' }, []))?.buffers).toEqual([]);
});

const whole = binaryFrame({ id: 'a' }, [new ArrayBuffer(16)]);
const MALFORMED: [string, unknown][] = [
  ['no JSON', '{'],
  ['no object', '[1]'],
  ['null', 'null'],
  ['a number', '7'],
  ['empty', ''],
  ['a blob', new Blob(['{}'])],
  ['nothing', undefined],
  ['no bytes', new ArrayBuffer(0)],
  ['three bytes', new ArrayBuffer(3)],
  ['a header longer than the frame', Uint32Array.of(4_000_000_000, 0).buffer],
  ['a cut header', whole.slice(0, 10)],
  ['a cut buffer', whole.slice(0, whole.byteLength - 8)],
  ['a negative length', binaryFrame({ id: 'a' }, [], [-8])],
  ['a length that is text', binaryFrame({}, [], ['8'])],
  ['a length of half a byte', binaryFrame({}, [new ArrayBuffer(8)], [0.5])],
  ['a length beyond all memory', binaryFrame({}, [], [2 ** 60])],
  ['bytes that are no UTF-8 JSON', Uint8Array.of(2, 0, 0, 0, 255, 254).buffer]
];

it.each(MALFORMED)('passes over a malformed frame: %s', (_, data) => {
  expect(readFrame(data)).toBeNull();
});

it('takes the buffers of a comm out of the larger ones that they lie in, aligned', () => {
  const large = new Uint8Array(40);
  large.set(new Uint8Array(Float64Array.of(7, 8).buffer), 3);
  const read = readComm({ kind: 'points' }, [new DataView(large.buffer, 3, 16)]);
  expect(numbers(read?.buffers[0])).toEqual([7, 8]);
});

it.each([[null], ['text'], [[1]], [undefined]])('passes over a comm message that is %j', content => {
  expect(readComm(content, [])).toBeNull();
});

it('takes no buffers from what holds none', () => {
  expect(readComm({ id: 'a' }, ['x', null])).toEqual({ body: { id: 'a' }, buffers: [] });
});
