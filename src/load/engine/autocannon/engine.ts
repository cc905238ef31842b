import { loadOptional } from '../../../interface/optional-packages.ts';
import type { Engine, EngineOptions } from '../engine.ts';

/**
 * Autocannon 9, for results that compare with a well-known tool. The package is an optional peer of this
 * one, and loaded when a run is prepared.
 */
export const autocannonEngine: Engine = {
  name: 'autocannon',
  can: {
    openModel: false,
    replacesTokens: false,
    seesSendLag: false,
    checksAnswers: false,
    reconnects: false,
    tellsShapes: false,
    splitsPlans: false,
  },
  refuse({ workers = 1, validateShare = 0, timeoutMs }: EngineOptions) {
    if (workers > 1) {
      return { field: 'workers', problem: 'autocannon runs in one thread; leave it out' };
    }
    if (validateShare > 0) {
      const problem = 'autocannon does not hand over the body of a response; leave it out';
      return { field: 'validate', problem };
    }
    if (timeoutMs !== undefined && (timeoutMs < 1000 || timeoutMs % 1000 !== 0)) {
      const problem = `autocannon waits for whole seconds, one or more, and not for ${timeoutMs} ms; change it`;
      return { field: 'timeout', problem };
    }
    return null;
  },
  /** @throws ConfigurationError `AUTOCANNON_NOT_INSTALLED` */
  async prepare(run) {
    const { runAutocannon } = await loadOptional(
      () => import('./run.ts'),
      'AUTOCANNON_NOT_INSTALLED',
      'autocannon needs one more package: npm install autocannon@9',
      { field: 'engine' },
    );
    const closing = new AbortController();
    return [
      {
        run: (startNs, ending) =>
          runAutocannon(run, startNs, AbortSignal.any([ending, closing.signal])),
        token: null,
        close: () => closing.abort(),
      },
    ];
  },
};
