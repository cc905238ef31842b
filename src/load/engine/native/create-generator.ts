import { ClosedModel } from './closed-model.ts';
import type { GeneratorBase, GeneratorTask } from './generator-base.ts';
import { OpenModel } from './open-model.ts';

/** Creates a generator of the plan's model; it sends nothing before it begins. */
export function createGenerator(task: GeneratorTask): GeneratorBase {
  return task.plan.model === 'open' ? new OpenModel(task) : new ClosedModel(task);
}
