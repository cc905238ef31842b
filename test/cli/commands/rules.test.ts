import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR, DEFAULT_ERROR_STATUS, GAPS } from '../../../src/interface/index.ts';
import { runCaptured } from '../../support/captured-io.ts';

describe('rules', () => {
  it('prints the default of each gap below its question', async () => {
    const { stdout } = await runCaptured(['rules']);
    const lines = stdout.split('\n');
    for (const { id, question } of GAPS) {
      const at = lines.findIndex((line) => line.startsWith(`${id} `) && line.endsWith(question));
      expect(lines[at + 1]).toMatch(/^ +default: \S/);
      const { [id]: answer } = DEFAULT_BEHAVIOUR;
      if (typeof answer === 'string') expect(lines[at + 1]?.trim()).toBe(`default: ${answer}`);
    }
    expect(stdout).toContain('default: {unnamed: kept, wider: granted}');
    for (const condition of Object.keys(DEFAULT_ERROR_STATUS)) expect(stdout).toContain(condition);
  });
});
