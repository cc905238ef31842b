import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const TEXT = readFileSync(new URL('../../deploy/kubernetes.yaml', import.meta.url), 'utf8');

interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string }[];
  readonly resources?: Readonly<Record<'requests' | 'limits', { readonly cpu: string }>>;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: {
      readonly spec: {
        readonly containers: readonly Container[];
        readonly initContainers?: readonly Container[];
      };
    };
    readonly [key: string]: unknown;
  };
}

describe('kubernetes.yaml', () => {
  const all = parseAllDocuments(TEXT).map((document) => document.toJS() as Manifest);
  const jobs = all.filter(({ kind }) => kind === 'Job');

  it('gives each container of a job whole cores that no neighbour takes', () => {
    const pods = all.flatMap(({ spec }) => spec?.template?.spec ?? []);
    const containers = pods.flatMap((pod) => [...pod.containers, ...(pod.initContainers ?? [])]);
    expect(containers).toHaveLength(5);
    for (const { resources } of containers) {
      expect(resources?.requests).toEqual(resources?.limits);
      expect(Number(resources?.limits.cpu)).toSatisfy(Number.isInteger);
    }
  });

  it('runs each agent once, with a name of its own, and as many as the controller waits for', () => {
    const [agents, controller] = jobs;
    expect(jobs.map(({ spec }) => spec?.['backoffLimit'])).toEqual([0, 0]);
    expect(agents?.spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 4,
      parallelism: 4,
    });
    const args = controller?.spec?.template?.spec.containers[0]?.args ?? [];
    expect(args[args.indexOf('--agents') + 1]).toBe('4');
  });

  it('holds secrets in a Secret only', () => {
    const envs = all.flatMap(({ spec }) =>
      (spec?.template?.spec.containers ?? []).flatMap(({ env = [] }) => env),
    );
    const secret = envs.filter(({ name }) => /TOKEN|KEY/.test(name));
    expect(secret).toHaveLength(4);
    for (const one of secret) expect(one).toMatchObject({ valueFrom: { secretKeyRef: {} } });
  });
});
