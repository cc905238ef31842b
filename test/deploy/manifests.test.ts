import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const read = (name: string) =>
  parseAllDocuments(readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as Manifest,
  );

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
  const all = read('kubernetes.yaml');
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

describe('kubernetes-parts.yaml', () => {
  const [parts, merge] = read('kubernetes-parts.yaml').filter(({ kind }) => kind === 'Job');
  const argsOf = (job: Manifest | undefined) =>
    job?.spec?.template?.spec.containers.flatMap(({ args = [] }) => args).join(' ');

  it('runs as many parts as there are, each once and on whole cores, and merges as many', () => {
    expect(parts?.spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 4,
      parallelism: 4,
      backoffLimit: 0,
    });
    expect(argsOf(parts)).toContain('--part $((JOB_COMPLETION_INDEX + 1))/4 ');
    expect(argsOf(merge)).toContain('wc -l) = 4 ]');
    for (const job of [parts, merge]) {
      const [container] = job?.spec?.template?.spec.containers ?? [];
      expect(container?.resources?.requests).toEqual(container?.resources?.limits);
    }
  });
});
