import { describe, expect, it } from 'vitest';
import { judgeControlled } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import { STYLES } from '../../../../independent-service/style.ts';

describe('a service that looks at no signature of some requests', () => {
  it.each([
    ['signature/invalid-refused#charset-named', 'a Content-Type that names a charset'],
    ['signature/invalid-refused#no-content-type', 'no Content-Type'],
    ['signature/invalid-refused#time-with-offset', 'an offset in _'],
    ['signature/invalid-refused#time-with-fraction', 'a fraction in _'],
    ['signature/invalid-refused#in-other-order', 'its fields in reverse order'],
    ['signature/invalid-refused#spaced-body', 'a body with line breaks'],
    ['signature/invalid-refused#wide-scope', 'several scopes'],
    ['signature/invalid-refused#further-fields', 'a further field'],
    ['signature/invalid-refused#in-capitals', 'in capitals'],
    ['auth/user-signature#non-ascii-names', 'names of non-ASCII text'],
    ['auth/user-signature#in-other-order', 'its parameters in reverse order'],
    ['auth/user-signature#no-content-type', 'no Content-Type'],
  ])('%s is accused of it', async (form, words) => {
    const [rule = ''] = form.split('#');
    const { verdict, reason } = ruleOf(
      await judgeControlled(STYLES[0]!, [form], { only: [rule] }),
      rule,
    );
    expect(verdict).toBe('fail');
    expect(reason).toContain(words);
  });
});
