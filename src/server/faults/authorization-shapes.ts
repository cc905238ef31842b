/** Shapes of an Authorization that are read as the right one, by what stands in its place. */
export const SHAPES: Readonly<Record<string, readonly [how: string, pattern: RegExp]>> = {
  'scheme-token': ['The scheme `Token` passes.', /^token +([^|\s]+)\|(.+)$/i],
  'scheme-digest': ['The scheme `Digest` passes.', /^digest +([^|\s]+)\|(.+)$/i],
  'scheme-oauth': ['The scheme `OAuth` passes.', /^oauth +([^|\s]+)\|(.+)$/i],
  'scheme-basic': ['The scheme `Basic` passes.', /^basic +([^|\s]+)\|(.+)$/i],
  'scheme-mac': ['The scheme `MAC` passes.', /^mac +([^|\s]+)\|(.+)$/i],
  'no-scheme': ['The scheme may be left out.', /^([^|\s]+)\|(.+)$/],
  'longer-scheme': ['A scheme that starts with `Bearer` passes.', /^bearer\S+ +([^|\s]+)\|(.+)$/i],
  colon: ['A colon passes for the bar.', /^bearer +([^|:\s]+):(.+)$/i],
  comma: ['A comma passes for the bar.', /^bearer +([^|,\s]+),(.+)$/i],
  space: ['A space passes for the bar.', /^bearer +([^|\s]+) ([^|\s]+)$/i],
};
