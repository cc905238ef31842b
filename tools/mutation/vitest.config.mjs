import { defineConfig } from 'vitest/config';

/** The tests of one area that may notice a mutant, as run.mjs names them. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env['MUTATION_TESTS'] ?? '[]'),
    tags: [{ name: 'long' }],
    // Mutated code is slow, the more so on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
