import fc from 'fast-check';

/** The same cases in every run, so that none fails by chance; FAREPROOF_FUZZ_SEED selects others. */
export const SEED = Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 1);

fc.configureGlobal({ seed: SEED });

/** fast-check with a seed, for all property tests of this repository. */
export default fc;
