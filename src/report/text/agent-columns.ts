import type { AgentResult } from '../../documents/load.ts';
import { type Column, column, known, numbers } from './columns.ts';
import { formatCount, formatShare, formatUs } from './quantities.ts';

/** Figures of an agent, of a run or so far. */
export interface ShownAgent
  extends Pick<
    AgentResult,
    | 'name'
    | 'workers'
    | 'cores'
    | 'sent'
    | 'cpu'
    | 'coreWait'
    | 'sendLagP99Us'
    | 'clockErrorUs'
    | 'missingUpdates'
  > {
  readonly lost?: Pick<NonNullable<AgentResult['lost']>, 'atS'> | undefined;
}

/** Columns of the table of agents. */
export const AGENT_COLUMNS: readonly Column<ShownAgent>[] = [
  column('agent', ({ name }) => name),
  column('state', ({ lost, missingUpdates }) =>
    lost || missingUpdates
      ? { tone: 'bad', words: agentFault(lost) }
      : { tone: 'good', words: 'whole' },
  ),
  numbers('workers', ({ workers }) => formatCount(workers)),
  numbers('cores', ({ cores }) => formatCount(cores)),
  numbers('sent', ({ sent }) => formatCount(sent)),
  numbers('CPU', ({ cpu }) => known(cpu, (used) => used.toFixed(2))),
  numbers('core wait', ({ coreWait }) => known(coreWait, formatShare)),
  numbers('send lag p99', ({ sendLagP99Us }) => known(sendLagP99Us, formatUs)),
  numbers('clock ±', ({ clockErrorUs }) => known(clockErrorUs ?? null, formatUs)),
];

function agentFault(lost: ShownAgent['lost']): string {
  return lost ? `lost at ${lost.atS.toFixed(1)} s` : 'updates missing';
}
