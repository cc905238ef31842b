import type { Engine, EngineOptions } from '../engine.ts';

/**
 * Autocannon 9, for results that compare with a well-known tool. The package is loaded when a run is
 * prepared: it is most of what this one installs, and slow to load.
 */
export const autocannonEngine: Engine = {
  name: 'autocannon',
  can: {
    openModel: false,
    replacesTokens: false,
    seesSendLag: false,
    checksAnswers: false,
    tellsShapes: false,
    splitsPlans: false,
  },
  refuse({ workers = 1, validateShare = 0, timeoutMs }: EngineOptions) {
    if (workers > 1) return '--workers: autocannon runs in one thread; leave it out';
    if (validateShare > 0) {
      return '--validate: autocannon does not hand over the body of an answer; leave it out';
    }
    if (timeoutMs !== undefined && (timeoutMs < 1000 || timeoutMs % 1000 !== 0)) {
      return `--timeout: autocannon waits for whole seconds, one or more, and not for ${timeoutMs} ms; change it`;
    }
    return null;
  },
  async prepare(run) {
    const { runAutocannon } = await import('./run.ts');
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
