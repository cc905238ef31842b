import type { ServiceRuleId } from '../../interface/index.ts';
import { SERVICE_RULES } from '../../interface/index.ts';
import { ESTIMATE_FAULTS } from './estimate-faults.ts';
import type { Fault, FaultText } from './fault.ts';
import { LIFECYCLE_FAULTS } from './lifecycle-faults.ts';
import { SIGNATURE_FAULTS } from './signature-faults.ts';
import { TOKEN_FAULTS } from './token-faults.ts';

const TEXTS: Readonly<Record<ServiceRuleId, FaultText>> = {
  ...SIGNATURE_FAULTS,
  ...TOKEN_FAULTS,
  ...LIFECYCLE_FAULTS,
  ...ESTIMATE_FAULTS,
};

/** One fault for each service rule of the catalogue, in its order: what `serve --fault` can break. */
export const FAULTS: readonly Fault[] = SERVICE_RULES.map(({ id }) => ({
  id,
  how: TEXTS[id].how,
  breaks: TEXTS[id].breaks.filter(({ rule }) => rule !== id),
}));
