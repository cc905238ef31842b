import { availableParallelism } from 'node:os';
import { TOOL } from '../../../app/tool.ts';
import { channelToParent, serveAsAgent, systemClock } from '../../../load/index.ts';

/** Entry of an agent that `load --agents` starts; its argument is its name. */
// Ctrl-C reaches every process of the terminal, and the controller decides what becomes of the run.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

const [name = 'agent'] = process.argv.slice(2);
const facts = { name, version: TOOL.version, cores: availableParallelism(), workers: null };
await serveAsAgent({ channel: channelToParent(process), clock: systemClock(), facts });
process.exit();
