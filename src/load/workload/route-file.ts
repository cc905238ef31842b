import { ConfigurationError } from '../../interface/index.ts';
import { parseRecordedRoutes, READ_FORMS } from './recorded-routes.ts';
import { COORDINATES, isDegrees, REQUIRED, type RouteQuery } from './routes.ts';

interface Row {
  /** First line in the file, from 1. */
  line: number;
  cells: string[];
}

/**
 * Reads routes from CSV, a HAR file or an access log, whichever it is.
 *
 * @param name of the file, for the errors
 * @throws ConfigurationError `ROUTES_INVALID`, which names the file, and of CSV the line and column
 */
export function parseRoutes(text: string, name: string): RouteQuery[] {
  return parseRecordedRoutes(text, name) ?? parseCsvRoutes(text, name);
}

/**
 * Reads routes from CSV (RFC 4180): the first line names the columns, the six of a route and any
 * other query parameter, such as `departure_time` or `product_type`. An empty cell leaves its
 * parameter out.
 */
function parseCsvRoutes(text: string, name: string): RouteQuery[] {
  const [header, ...rows] = readRows(text.replace(/^\uFEFF/, ''), name);
  const columns = (header?.cells ?? []).map((cell) => cell.trim());
  const missing = REQUIRED.find((column) => !columns.includes(column));
  if (missing !== undefined) {
    throw invalid(name, 1, `the column ${missing} is missing. What is read: ${READ_FORMS}`);
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw invalid(name, 1, `the column ${twice} is there twice`);
  if (rows.length === 0) throw invalid(name, 2, 'the file has no route');
  return rows.map((row) => readRoute(row, columns, name));
}

function readRoute({ line, cells }: Row, columns: readonly string[], name: string): RouteQuery {
  if (cells.length !== columns.length) {
    throw invalid(name, line, `there are ${cells.length} cells, and ${columns.length} columns`);
  }
  const route: Record<string, string> = {};
  for (const [index, column] of columns.entries()) {
    const value = (cells[index] ?? '').trim();
    const bound = COORDINATES[column];
    if (value === '' && REQUIRED.includes(column)) throw invalid(name, line, `${column} is empty`);
    if (bound !== undefined && !isDegrees(value, bound)) {
      throw invalid(name, line, `${column}: "${value}" is not a number from -${bound} to ${bound}`);
    }
    if (value !== '') route[column] = value;
  }
  return route;
}

/** Cells may be quoted, with commas, line breaks and doubled quotes in them; empty lines are skipped. */
function readRows(text: string, name: string): Row[] {
  const rows: Row[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let line = 1;
  let row: Row = { line, cells: [] };
  while (cell.lastIndex < text.length || row.cells.length > 0) {
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (whole === undefined)
      throw invalid(name, line, 'a quote is not closed, or stands within a cell');
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}

function invalid(name: string, line: number, why: string): ConfigurationError {
  return new ConfigurationError('ROUTES_INVALID', `${name}:${line}: ${why}.`);
}
