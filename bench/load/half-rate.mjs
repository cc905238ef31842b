// Open model at half the closed model's rate: checks that every planned request is sent, at that rate.

import { runApart } from './run-apart.mjs';

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureHalfRate({ nginxPort: port, tiny, log }) {
  const durationMs = tiny ? 1000 : 8000;
  const closed = (await runApart({ port, connections: 10, durationMs })).result;
  const rate = Math.floor(closed.achieved.rate / 2);
  const { achieved, verdict, reason } = (await runApart({ port, rate, durationMs })).result;
  log(`closed ${Math.round(closed.achieved.rate)}/s, open at ${rate}/s: ${verdict}. ${reason}`);
  const off = achieved.rate / rate - 1;
  return [
    {
      figure: 'open model at half that rate: sent of planned',
      asked: 'all',
      measured: `${achieved.sent} of ${achieved.planned}`,
      held: achieved.sent === achieved.planned && verdict !== 'invalid',
    },
    {
      figure: 'its rate, off the one asked for',
      asked: 'within 0.1 %',
      measured: `${(100 * off).toFixed(3)} %`,
      held: Math.abs(off) <= 0.001,
    },
  ];
}
