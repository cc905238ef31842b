import fc from 'fast-check';

// The same cases in every run, so that none fails by chance; FAREPROOF_FUZZ_SEED selects others.
fc.configureGlobal({ seed: Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 1) });

/** fast-check with a seed, for all property tests of this repository. */
export default fc;
