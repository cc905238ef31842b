import type { Attempt, Form } from '../form.ts';
import { textOf } from '../state.ts';
import { forgive } from './builders.ts';

const SCHEMES = {
  token: (r) => r.scheme === 'Token',
  digest: (r) => r.scheme === 'Digest',
  oauth: (r) => r.scheme === 'OAuth',
  basic: (r) => r.scheme === 'Basic',
  none: (r) => r.scheme === '',
  any: () => true,
  bear: (r) => /^bear$/i.test(r.scheme),
  'bearer-with-suffix': (r) => /^Bearer./.test(r.scheme),
  colon: (r) => r.scheme === 'Bearer' && r.separator.startsWith(':'),
  comma: (r) => r.scheme === 'Bearer' && r.separator.startsWith(','),
  space: (r) => r.scheme === 'Bearer' && r.separator === ' ',
} satisfies Record<string, (r: Attempt) => boolean>;

const scheme = (endpoint: Attempt['endpoint'], isMeant: (r: Attempt) => boolean): Form =>
  forgive('authorization-shape', (r) => r.endpoint === endpoint && isMeant(r));

const scopeGranted = (isEnough: (scopes: readonly string[]) => boolean): Form =>
  forgive('scope', (r) => isEnough((r.token?.scope ?? '').split(' ')));

/** Headers that are accepted without the right scheme, token or scope. */
export const AUTHORIZATION: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    Object.entries(SCHEMES).map(([name, isMeant]) => [
      `token/authorization-shape#${name}`,
      scheme('token', isMeant),
    ]),
  ),
  'token/authorization-shape#double-bar': scheme('token', (r) => r.separator === '||'),
  ...Object.fromEntries(
    Object.entries(SCHEMES).map(([name, isMeant]) => [
      `auth/scheme#${name}`,
      scheme('estimate', isMeant),
    ]),
  ),
  'auth/scheme#platform-only': scheme('estimate', (r) => !r.asUser && r.scheme !== 'Bearer'),
  'auth/scheme#user-only': scheme('estimate', (r) => r.asUser && r.scheme !== 'Bearer'),
  'token/authorization-required#empty-header': forgive(
    'authorization-shape',
    (r) => r.endpoint === 'token' && r.header === '',
  ),
  'auth/authorization-required#express-and-carpool': forgive(
    'authorization-missing',
    (r) => r.endpoint === 'estimate' && /express|pool/.test(textOf(r.fields['ride_type'])),
  ),
  'auth/scope-public#substring': scopeGranted((scopes) => scopes.join(' ').includes('public')),
  'auth/scope-public#rides-read': scopeGranted((scopes) => scopes.includes('rides.read')),
  'auth/scope-public#rides-read-only': scopeGranted((scopes) => scopes.join() === 'rides.read'),
  'auth/scope-public#several': scopeGranted((scopes) => scopes.length > 1),
  'auth/scope-public#user-profile': forgive(
    'scope',
    (r) => r.user !== null && (r.token?.scope ?? '').includes('profile'),
  ),
};
