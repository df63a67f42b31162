/** The tests of the front end. Those with a page ask for jsdom at their top; contexts of `vm` make one in no time. */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], setupFiles: ['test/turns.ts'], pool: 'vmThreads' }
});
