import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Half of the time tests wait. By default vitest leaves one core free.
    maxWorkers: '100%',
    // Limits end a hang; nothing is measured by them, so that no machine is too slow for them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    tags: [{ name: 'long', description: 'Left out by `npm test`, run by `npm run test:all`.' }],
    passWithNoTests: false,
  },
});
