import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Limits end a hang; nothing is measured by them, so that no machine is too slow for them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Where it is so, CI names each test that passed at a later time only (tools/test-reporter.mjs).
    retry: process.env['CI'] ? 2 : 0,
    passWithNoTests: false,
  },
});

export default config;
