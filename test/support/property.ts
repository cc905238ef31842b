import fc from 'fast-check';

// The same cases in every run, so that none fails by chance; FAREPROOF_FUZZ_SEED brings others.
fc.configureGlobal({ seed: Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 1) });

/** The property tests of this repository, seeded. */
export default fc;
