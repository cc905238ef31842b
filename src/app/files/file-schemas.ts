import { z } from 'zod';
import { scenarioSchema, suiteSchema, waiversSchema } from '../../conformance/index.ts';
import {
  describeJsonSchemas,
  type JsonSchema,
  jsonSchemaOf,
} from '../../documents/json-schemas.ts';
import { loadSuiteSchema } from '../../load/index.ts';

const cell = (description: string) => z.string().min(1).meta({ description });

/** A row of a routes file, by the names of its columns; further columns are query parameters. */
const routeSchema = z.looseObject({
  start_lat: cell('Latitude of the start, in degrees.'),
  start_lng: cell('Longitude of the start, in degrees.'),
  from_name: cell('Name of the start.'),
  end_lat: cell('Latitude of the destination, in degrees.'),
  end_lng: cell('Longitude of the destination, in degrees.'),
  to_name: cell('Name of the destination.'),
});

/** The published JSON Schemas by file name: those of documents, and of every file that a user writes. */
export function describeSchemas(): Record<string, JsonSchema> {
  return {
    ...describeJsonSchemas(),
    'suite.json': jsonSchemaOf(suiteSchema, 'suite', 'Fareproof suite of check'),
    'load-suite.json': jsonSchemaOf(loadSuiteSchema, 'load-suite', 'Fareproof suite of load'),
    'waivers.json': jsonSchemaOf(waiversSchema, 'waivers', 'Fareproof waivers'),
    'scenario.json': jsonSchemaOf(scenarioSchema, 'scenario', 'Fareproof scenario of certify'),
    'routes.json': jsonSchemaOf(
      z.array(routeSchema).min(1),
      'routes',
      'Fareproof routes: the rows of the CSV file, by column',
    ),
  };
}
