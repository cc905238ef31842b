import { z } from 'zod';

/** A deep read-only view of what a schema infers: a document is a value, and nobody changes it. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The type of the documents that a schema describes. */
export type DocumentOf<Shape extends z.ZodType> = DeepReadonly<z.infer<Shape>>;

/** Text. */
export const text = (description: string) => z.string().meta({ description });

/** A list of texts. */
export const texts = (description: string) => z.array(z.string()).meta({ description });

/** A list of a schema's values. */
export const list = <Item extends z.ZodType>(description: string, item: Item) =>
  z.array(item).meta({ description });

/** An object with these fields. */
export const group = <Fields extends z.ZodRawShape>(description: string, fields: Fields) =>
  z.object(fields).meta({ description });

/** An object whose keys are any text, and its values those of a schema. */
export const record = <Value extends z.ZodType>(description: string, value: Value) =>
  z.record(z.string(), value).meta({ description });

/** Yes or no. */
export const flag = (description: string) => z.boolean().meta({ description });

/** One of several words. */
export const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  z.enum(words).meta({ description });

/** A whole number from 0 up. */
export const count = (description: string) => z.int().min(0).meta({ description });

/** A number; the description names its unit, unless it has a function of its own below. */
export const number = (description: string) => z.number().meta({ description });

/** A number that may be unknown, which is null. */
export const measured = (description: string) => z.number().nullable().meta({ description });

/** Microseconds. */
export const microseconds = (description: string) => number(`${description}, in microseconds.`);

/** Requests a second. */
export const perSecond = (description: string) => number(`${description}, requests a second.`);

/** Percent. */
export const percent = (description: string) => number(`${description}, in percent.`);

/** ISO 8601 with an offset or `Z`. */
export const instant = (description: string) =>
  z.iso.datetime({ offset: true }).meta({ description });
