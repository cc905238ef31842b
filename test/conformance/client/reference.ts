import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { StartReference } from '../../../src/conformance/client/scenario/run-scenario.ts';
import {
  type Scenario,
  scenarioSchema,
} from '../../../src/conformance/client/scenario/scenario.ts';
import { startServer } from '../../../src/server/index.ts';

const SUITES = new URL('../../../suites/', import.meta.url);

/** The scenarios that ship. */
export const SCENARIOS: readonly Scenario[] = readdirSync(SUITES)
  .filter((name) => name.startsWith('client-'))
  .map((name) => scenarioSchema.parse(parse(readFileSync(new URL(name, SUITES), 'utf8'))));

export const startReference: StartReference = (options) => startServer(options);

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
