import type { XmlElement } from './parse-xml.ts';

/** Attributes and elements that an element of a JUnit file may have. */
interface Shape {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** Elements in it, in this order; `many` may stand more than once. */
  readonly children?: readonly string[];
  readonly many?: readonly string[];
  readonly hasText?: true;
}

const OUTCOME: Shape = { required: ['message', 'type'], hasText: true };

/**
 * Elements that both Jenkins' xUnit plugin (schema junit-10) and Maven Surefire (schema surefire-test-report)
 * accept; `testsuites`, which a file of Surefire lacks, as the plugin has it.
 */
const SHAPES: Readonly<Record<string, Shape>> = {
  testsuites: {
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'errors'],
    children: ['testsuite'],
    many: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors', 'skipped'],
    optional: ['time', 'timestamp', 'group'],
    children: ['properties', 'testcase'],
    many: ['testcase'],
  },
  properties: { required: [], children: ['property'], many: ['property'] },
  property: { required: ['name', 'value'] },
  testcase: {
    required: ['name', 'time'],
    optional: ['classname', 'group'],
    children: ['failure', 'skipped', 'error', 'system-out', 'system-err'],
  },
  failure: OUTCOME,
  error: OUTCOME,
  skipped: { required: ['message'], hasText: true },
  'system-out': { required: [], hasText: true },
  'system-err': { required: [], hasText: true },
};

const WHOLE = /^\d+$/;

const VALUES: Readonly<Record<string, RegExp>> = {
  time: /^\d+(\.\d{1,3})?$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
  tests: WHOLE,
  failures: WHOLE,
  errors: WHOLE,
  skipped: WHOLE,
  name: /./u,
  message: /./u,
};

/** The places of a JUnit file that a consumer refuses, in words; none if it is valid. */
export function junitFaults(root: XmlElement): string[] {
  return root.name === 'testsuites' ? faultsOf(root) : [`the root is ${root.name}`];
}

function faultsOf(element: XmlElement): string[] {
  const shape = SHAPES[element.name];
  if (!shape) return [`${element.name} is no element of JUnit`];
  return [
    ...attributeFaults(element, shape),
    ...childFaults(element, shape),
    ...(shape.hasText || element.text.trim() === '' ? [] : [`text in ${element.name}`]),
    ...element.children.flatMap(faultsOf),
  ];
}

function attributeFaults(
  { name, attributes }: XmlElement,
  { required, optional = [] }: Shape,
): string[] {
  const allowed = new Set([...required, ...optional]);
  return [
    ...required.filter((one) => !(one in attributes)).map((one) => `${name} lacks ${one}`),
    ...Object.entries(attributes).flatMap(([one, value]) => {
      if (!allowed.has(one)) return [`${name} has ${one}`];
      return VALUES[one]?.test(value) === false ? [`${name} has ${one}="${value}"`] : [];
    }),
  ];
}

function childFaults(
  { name, children }: XmlElement,
  { children: order = [], many = [] }: Shape,
): string[] {
  const names = children.map((child) => child.name);
  return names.flatMap((child, index) => {
    if (!order.includes(child)) return [`${child} in ${name}`];
    if (!many.includes(child) && names.indexOf(child) < index) return [`${child} twice in ${name}`];
    const isLate = names.slice(0, index).some((one) => order.indexOf(one) > order.indexOf(child));
    return isLate ? [`${child} in ${name} is out of order`] : [];
  });
}
