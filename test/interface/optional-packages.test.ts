import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/interface/errors.ts';
import { loadOptional } from '../../src/interface/optional-packages.ts';

it('says which packages are missing, and how to install them', async () => {
  const missing = Object.assign(new Error('no such package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const load = () => Promise.reject(missing);
  const loading = loadOptional(load, 'A_NOT_INSTALLED', 'npm install a', { field: 'engine' });
  await expect(loading).rejects.toBeInstanceOf(ConfigurationError);
  await expect(loading).rejects.toMatchObject({
    code: 'A_NOT_INSTALLED',
    field: 'engine',
    message: 'engine: npm install a',
    cause: missing,
  });
});

it('tells packages that are missing from those that cannot be loaded', async () => {
  const broken = new SyntaxError('broken');
  await expect(loadOptional(() => Promise.reject(broken), 'A', '')).rejects.toBe(broken);
});
