import { expect, it } from 'vitest';
import type { Send } from '../../../../src/conformance/service/http/message.ts';
import { ControlApi } from '../../../../src/conformance/service/wire/control-api.ts';

/** A control API that answers each request with these fields. */
function controlOf(fields: object): ControlApi {
  const body = JSON.stringify(fields);
  const response = { status: 200, headers: {}, body, bodyBytes: body.length, truncated: false };
  const send: Send = () => Promise.resolve({ response, error: null });
  return new ControlApi({ url: 'http://127.0.0.1:1' }, send);
}

const long = 'x'.repeat(1_025);
const partner = { partnerId: 'p', signingKey: 'k', authCode: 'c' };

it.each(['partnerId', 'signingKey'])(
  'refuses a partner whose %s is too long, or missing',
  async (field) => {
    await expect(controlOf({ ...partner, [field]: long }).createPartner(false)).rejects.toThrow(
      `POST /partners answered a text of more than 1024 characters as ${field}`,
    );
    await expect(controlOf({ ...partner, [field]: 1 }).createPartner(false)).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringContaining(`answered no ${field}`) as string,
    });
    const whole = { ...partner, [field]: long.slice(1) };
    await expect(controlOf(whole).createPartner(false)).resolves.toBeDefined();
  },
);

it('refuses an auth code that is too long, or missing', async () => {
  await expect(controlOf({ authCode: long }).createAuthCode('p', 'u')).rejects.toThrow(
    'POST /auth-codes answered a text of more than 1024 characters as authCode',
  );
  await expect(controlOf({}).createAuthCode('p', 'u')).rejects.toThrow('answered no authCode');
  expect(await controlOf(partner).createAuthCode('p', 'u')).toBe('c');
});

it.each(['+275760-09-13T00:00:00.000Z', '-271821-04-20T00:00:00.000Z', '9001-01-01', 'soon', 7])(
  'refuses a clock that stands at %s',
  async (now) => {
    await expect(controlOf({ now }).advanceClock(0)).rejects.toThrow('POST /clock answered no ISO');
  },
);

it('takes a clock of any time that a service may be tested at', async () => {
  for (const now of ['1970-01-01T00:00:00Z', '2026-03-02T12:00:00+08:00', '2999-12-31T23:59:59Z'])
    expect(await controlOf({ now }).advanceClock(0)).toBe(Date.parse(now));
});

it('says where nothing listens, which is no fault of the API', async () => {
  const error = { code: 'CONNECT_REFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' } as const;
  const control = new ControlApi({ url: 'http://127.0.0.1:1' }, async () => ({
    response: null,
    error,
  }));
  await expect(control.advanceClock(0)).rejects.toMatchObject({
    code: 'CONTROL_FAILED',
    message:
      "Nothing listens at the address of the target's control API (connect ECONNREFUSED 127.0.0.1:1). Start the service, or correct control.url in the profile.",
  });
});
