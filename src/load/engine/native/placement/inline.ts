import type { GeneratorHandle } from '../../engine.ts';
import { ClosedModel } from '../closed-model.ts';
import type { GeneratorBase, GeneratorTask } from '../generator-base.ts';
import { OpenModel } from '../open-model.ts';

/** Makes a generator ready that runs in the calling thread. */
export async function prepareInline(
  task: Omit<GeneratorTask, 'startNs'>,
): Promise<GeneratorHandle> {
  let { accessToken } = task;
  let running: GeneratorBase | null = null;
  const Model = task.plan.model === 'open' ? OpenModel : ClosedModel;
  return {
    run(startNs, ending) {
      const generator = new Model({ ...task, accessToken, startNs });
      running = generator;
      generator.begin();
      if (ending.aborted) generator.abort();
      ending.addEventListener('abort', () => generator.abort(), { once: true });
      return generator.finished;
    },
    close: () => running?.abort(),
    token: {
      setToken(token) {
        accessToken = token;
        running?.setToken(token);
      },
      pause: async () => {
        await running?.pause();
      },
      resume(token) {
        accessToken = token;
        running?.resume(token);
      },
    },
  };
}
