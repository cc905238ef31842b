import { expect, it } from 'vitest';
import { judgeControlled } from '../../../../independent-service/judge.ts';
import { STYLES } from '../../../../independent-service/style.ts';

it('asks for trips in either direction, with either header', async () => {
  const result = await judgeControlled(STYLES[0]!, [], { only: ['record/amounts-plausible'] });
  const trips = result.exchanges.flatMap(({ part, request }) => {
    const { searchParams: query } = new URL(request.url);
    const at = (name: string): number => Number(query.get(name));
    const header = part?.check ?? '';
    return header.startsWith('survey:')
      ? [`${header} ${Math.sign(at('end_lat') - at('start_lat'))}`]
      : [];
  });
  expect([...new Set(trips)].sort()).toEqual(
    expect.arrayContaining([
      'survey:estimate -1',
      'survey:estimate 1',
      'survey:user-estimate -1',
      'survey:user-estimate 1',
    ]),
  );
});
