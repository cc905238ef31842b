import { ConfigurationError, ESTIMATE_SHAPES, type EstimateShape } from '../../interface/index.ts';
import type { Random } from '../seeded-random.ts';

/** Weights by shape, above 0. */
export type Mix = ReadonlyMap<EstimateShape, number>;

/** Parses `plain=8,express=1,carpoolSeats=1`; throws ConfigurationError `MIX_INVALID`. */
export function parseMix(text: string): Mix {
  const mix = new Map<EstimateShape, number>();
  for (const part of text.split(',')) {
    const [, name, weight] = /^\s*(\w+)\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    const shape = ESTIMATE_SHAPES.find((known) => known === name);
    if (shape === undefined || weight === undefined || mix.has(shape)) {
      throw new ConfigurationError(
        'MIX_INVALID',
        `'${text}': "${part}" is not shape=weight, or names a shape twice; the shapes are ${ESTIMATE_SHAPES.join(', ')}.`,
        { field: 'mix' },
      );
    }
    if (Number(weight) > 0) mix.set(shape, Number(weight));
  }
  if (mix.size > 0) return mix;
  throw new ConfigurationError('MIX_INVALID', `'${text}': no shape has a weight above 0.`, {
    field: 'mix',
  });
}

/** Draws a shape by its weight. */
export function pickShape(mix: Mix, random: Random): EstimateShape {
  const total = [...mix.values()].reduce((sum, weight) => sum + weight, 0);
  let left = random() * total;
  for (const [shape, weight] of mix) {
    left -= weight;
    if (left < 0) return shape;
  }
  return [...mix.keys()].at(-1) as EstimateShape;
}
