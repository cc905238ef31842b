import { describe, expect, it } from 'vitest';
import {
  grantRefreshScope,
  grantScope,
  parseTokenBody,
  readGrant,
  readGrantType,
  refuseContentType,
} from '../../../../src/server/service/token/token-fields.ts';
import { refusalOf } from '../../refusal.ts';

const COMMON = { _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };

describe('the Content-Type', () => {
  it.each([
    [undefined, true, false],
    ['', true, false],
    ['application/json', true, true],
    [' Application/JSON ; charset=utf-8', true, true],
    ['application/json2', true, false],
    ['x application/json', true, false],
    ['text/plain', true, false],
    ['application/x-www-form-urlencoded', false, false],
    [' multipart/form-data; boundary=x', false, false],
    ['application/x-www-form-urlencodedx', true, false],
    ['x application/x-www-form-urlencoded', true, false],
  ])('%j is served: %s, or %s where JSON is required', (contentType, served, servedAsJson) => {
    expect(refusalOf(() => refuseContentType(contentType, 'no')) === null).toBe(served);
    expect(refusalOf(() => refuseContentType(contentType, 'yes')) === null).toBe(servedAsJson);
  });
});

describe('the body', () => {
  it.each(['[]', '"text"', '1', 'null', '', '{', '{"a": 1} x'])('is not %s', (text) => {
    expect(refusalOf(() => parseTokenBody(Buffer.from(text)))).toMatchObject({
      condition: 'body-invalid',
      detail: { rule: 'token/json-body' },
    });
  });

  it('is a JSON object', () => {
    expect(parseTokenBody(Buffer.from('{"a": [1, {}]}'))).toEqual({ a: [1, {}] });
  });
});

describe('grant_type', () => {
  it.each(['client_credentials', 'refresh_token', 'authorization_code'])('is %s', (grant_type) => {
    expect(readGrantType({ grant_type })).toBe(grant_type);
  });

  it.each([
    [undefined, 'field-missing', 'token/grant-type-required'],
    [null, 'field-missing', 'token/grant-type-required'],
    ['', 'field-missing', 'token/grant-type-required'],
    [1, 'field-invalid', 'token/grant-type-known'],
    ['implicit', 'grant-type-unknown', 'token/grant-type-known'],
    ['Client_Credentials', 'grant-type-unknown', 'token/grant-type-known'],
  ])('is not %j', (grant_type, condition, rule) => {
    expect(refusalOf(() => readGrantType({ grant_type }))).toMatchObject({
      condition,
      detail: { field: 'grant_type', rule },
    });
  });
});

describe('the fields of a grant', () => {
  it('are those of its type', () => {
    const sent = { ...COMMON, scope: 'public', refresh_token: 'r', auth_code: 'c' };
    const common = { scope: 'public', timestamp: COMMON._, nostr: 'a1B2c3' };
    expect(readGrant(sent, 'client_credentials')).toEqual({
      grantType: 'client_credentials',
      ...common,
      refreshToken: '',
      authCode: '',
    });
    expect(readGrant(sent, 'refresh_token')).toMatchObject({ refreshToken: 'r', authCode: '' });
    expect(readGrant(sent, 'authorization_code')).toMatchObject({
      refreshToken: '',
      authCode: 'c',
    });
  });

  it.each([undefined, null, ''])('may lack a scope: %j', (scope) => {
    expect(readGrant({ ...COMMON, scope }, 'client_credentials').scope).toBeUndefined();
  });

  it('may have any _, which is judged later', () => {
    expect(readGrant({ ...COMMON, _: 0 }, 'client_credentials').timestamp).toBe(0);
  });

  it.each([
    ['client_credentials', '_', undefined, 'token/timestamp-required'],
    ['client_credentials', '_', null, 'token/timestamp-required'],
    ['client_credentials', '_', '', 'token/timestamp-required'],
    ['client_credentials', 'nostr', undefined, 'token/nostr-required'],
    ['client_credentials', 'nostr', 123456, 'token/nostr-required'],
    ['client_credentials', 'nostr', 'a1B2c', 'token/nostr-length'],
    ['client_credentials', 'nostr', 'a1B2c34', 'token/nostr-length'],
    ['client_credentials', 'nostr', 'a1B2c_', 'token/nostr-alphabet'],
    ['client_credentials', 'nostr', ' a1B2c', 'token/nostr-alphabet'],
    ['client_credentials', 'scope', 1, 'token/scope-echo'],
    ['refresh_token', 'refresh_token', undefined, 'token/refresh-token-required'],
    ['refresh_token', 'refresh_token', '', 'token/refresh-token-required'],
    ['authorization_code', 'auth_code', undefined, 'token/auth-code-required'],
    ['authorization_code', 'auth_code', {}, 'token/auth-code-required'],
  ] as const)('with %s: %s must not be %j', (grantType, field, value, rule) => {
    const sent = { ...COMMON, refresh_token: 'r', auth_code: 'c', [field]: value };
    const isMissing = value === undefined || value === null || value === '';
    expect(refusalOf(() => readGrant(sent, grantType))).toMatchObject({
      condition: isMissing ? 'field-missing' : 'field-invalid',
      detail: { field, rule },
    });
  });
});

describe('the scope', () => {
  it.each(['public', 'rides.request  public', ' profile'])('is granted as asked: %j', (scope) => {
    for (const unknown of ['refused', 'dropped', 'granted'] as const)
      expect(grantScope(scope, unknown)).toBe(scope);
  });

  it('with an unknown name is refused, or granted in part, or whole', () => {
    expect(grantScope('public other', 'granted')).toBe('public other');
    expect(grantScope('public other  profile', 'dropped')).toBe('public profile');
    expect(refusalOf(() => grantScope('public other', 'refused'))).toMatchObject({
      condition: 'scope-unknown',
      detail: { field: 'scope', rule: 'token/scope-echo' },
    });
  });

  it('of a refresh is what it asks for, unless that is wider', () => {
    for (const wider of ['refused', 'kept', 'granted'] as const) {
      expect(grantRefreshScope('public', 'public profile', wider)).toBe('public');
      expect(grantRefreshScope(' profile  public ', 'public profile', wider)).toBe(
        ' profile  public ',
      );
    }
    expect(grantRefreshScope('public profile', 'public', 'granted')).toBe('public profile');
    expect(grantRefreshScope('public profile', 'public', 'kept')).toBe('public');
    expect(refusalOf(() => grantRefreshScope('public profile', 'public', 'refused'))).toMatchObject(
      { condition: 'scope-unknown', detail: { field: 'scope' } },
    );
  });
});
