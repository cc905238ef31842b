import { expect, it } from 'vitest';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import { ExpiringMap } from '../../../../src/server/service/state/maps.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';

it('partners are found by id and by their place in the order', () => {
  const partners = new Partners();
  expect(partners.all).toEqual([]);
  const first = partners.add('p', 'k', false);
  const second = partners.add('q', 'k', true);
  const again = partners.add('p', 'l', false);
  expect(partners.all).toEqual([first, second, again]);
  expect([0, 1, 2, 3].map((index) => partners.at(index))).toEqual([
    first,
    second,
    again,
    undefined,
  ]);
  expect(partners.find('p')).toBe(again);
  expect(second).toEqual({ id: 'q', signingKey: 'k', longLock: true, index: 1 });
});

it('each partner that is added is told, in the order of their places', () => {
  const partners = new Partners();
  partners.add('earlier', 'k', false);
  const told: string[] = [];
  partners.onAdd = ({ id, index }) => told.push(`${id} at ${index}`);
  partners.add('p', 'k', false);
  partners.add('q', 'k', true);
  expect(told).toEqual(['p at 1', 'q at 2']);
});

it('a fresh partner has an id and a signing key of its own', () => {
  const partner = new Partners().addFresh(true, cryptoRandom());
  expect(partner.id).toMatch(/^p-[0-9a-f]{12}$/);
  expect(partner.signingKey).toMatch(/^[0-9a-f]{32}$/);
  expect(partner.longLock).toBe(true);
});

it('a map knows how many entries it has', () => {
  const map = new ExpiringMap<{ expiresAtMs: number }>();
  for (let index = 0; index < 1000; index++) map.set(`key ${index}`, { expiresAtMs: 1 }, 0);
  expect(map.size).toBe(1000);
});
