import { expect, test } from 'vitest';

import { formatJson } from '../../src/panes/preview.js';

test.each([
  ['{"a":[1,{"b":null}]}', '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
  ['{"c":{},"d":[ ]}', '{\n  "c": {},\n  "d": []\n}'],
  ['12345678901234567890', '12345678901234567890'],
  ['{"s":"[ ] , : \\" {}"}', '{\n  "s": "[ ] , : \\" {}"\n}'],
  ['{"broken":', '{"broken":'],
  ['"训练"', '"训练"']
])('JSON is set in order: %s', (text, set) => expect(formatJson(text)).toBe(set));
