import { expect, it } from 'vitest';
import { storedFlags } from '../../../../src/cli/commands/check/resume.ts';
import { capturedIo } from '../../../support/captured-io.ts';

it('a run can be resumed from another folder: paths are stored whole, an address as it is', () => {
  const { io } = capturedIo({ cwd: '/here' });
  const flags = { suite: 'full', rule: ['token/*'], timeout: '10s', onlyFailed: true as const };
  const stored = (target: string) => storedFlags({ ...flags, target }, io);
  expect(stored('a.yaml')).toEqual({
    suite: 'full',
    rule: ['token/*'],
    timeout: '10s',
    target: '/here/a.yaml',
  });
  expect(stored('https://a.test')).toMatchObject({ target: 'https://a.test' });
});
