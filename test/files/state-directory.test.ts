import { expect, it } from 'vitest';
import { stateDirectory } from '../../src/files/state-directory.ts';

const at = (env: Record<string, string>, home = () => '/home/of-system') =>
  stateDirectory({ cwd: '/here', env }, home);

it.each([
  [{ FAREPROOF_STATE_DIR: '/kept', XDG_STATE_HOME: '/xdg', HOME: '/home/a' }, '/kept'],
  [{ FAREPROOF_STATE_DIR: 'kept' }, '/here/kept'],
  [{ FAREPROOF_STATE_DIR: '', XDG_STATE_HOME: '/xdg', HOME: '/home/a' }, '/xdg/fareproof'],
  [{ XDG_STATE_HOME: '', HOME: '/home/a' }, '/home/a/.local/state/fareproof'],
  [{ HOME: '' }, '/home/of-system/.local/state/fareproof'],
])('is the one that the environment names: %j', (env, expected) => {
  expect(at(env)).toBe(expected);
});

it.each([
  [
    'fails',
    () => {
      throw new Error('uv_os_homedir returned ENOENT');
    },
  ],
  ['is empty', () => ''],
])('says what to do where the home directory of the system %s', (_name, home) => {
  expect(() => at({}, home)).toThrow(
    expect.objectContaining({
      code: 'STATE_DIRECTORY_UNKNOWN',
      message: expect.stringContaining('set FAREPROOF_STATE_DIR'),
    }),
  );
  expect(at({ FAREPROOF_STATE_DIR: '/kept' }, home)).toBe('/kept');
});
