// Requests, checks and counts of a script, in order, and the iteration that it is in.

/** Error of `exec.test.abort`. */
export class Aborted extends Error {}

export const record = {
  /** @type {{ scenario: string, status: number, responseType: string, tags: object, timeout: string, redirects: number }[]} */
  requests: [],
  /** @type {{ name: string, isPassed: boolean, tags: object }[]} */
  checks: [],
  /** @type {Record<string, number>} */
  counters: {},
  /** @type {Record<string, number[]>} */
  trends: {},
};

export const scenario = { name: '', iterationInTest: 0, startTime: 0 };
