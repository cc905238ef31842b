import { describe, expect, it } from 'vitest';
import { parseRoutes } from '../../../src/load/workload/route-file.ts';

const QUERY =
  'start_lat=39.9&start_lng=116.4&from_name=A%20%26%20B&end_lat=40&end_lng=116.5&to_name=%E5%8C%97%E4%BA%AC&departure_time=';
const PATH = `/v1/estimates/prices?${QUERY}`;
const ROUTE = {
  start_lat: '39.9',
  start_lng: '116.4',
  from_name: 'A & B',
  end_lat: '40',
  end_lng: '116.5',
  to_name: '北京',
};

const line = (request: string, status = 200): string =>
  `203.0.113.9 - - [10/Oct/2026:13:55:36 +0000] "${request}" ${status} 612 "-" "app/1.0 (x; \\"y\\")"`;
const har = (...requests: readonly (readonly [string, string, number])[]): string =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: requests.map(([method, url, status]) => ({
        request: { method, url, headers: [{ name: 'Authorization', value: 'Bearer p|secret-7' }] },
        response: { status },
      })),
    },
  });

describe('routes of recorded requests', () => {
  it('are the queries of the estimates of an access log, in their order', () => {
    const text = [
      line('POST /v1/oauth/token HTTP/1.1'),
      line(`GET ${PATH} HTTP/1.1`),
      line(`GET /prefix${PATH.replace('=40&', '=41&')}1700000000 HTTP/2.0`),
      '',
    ].join('\n');
    expect(parseRoutes(text, 'access.log')).toEqual([
      ROUTE,
      { ...ROUTE, end_lat: '41', departure_time: '1700000000' },
    ]);
  });

  it('have the bytes that nginx escapes', () => {
    const escaped = PATH.replace('%E5%8C%97%E4%BA%AC', String.raw`\xE5\x8C\x97\xE4\xBA\xAC`);
    expect(parseRoutes(line(`GET ${escaped} HTTP/1.1`), 'access.log')).toEqual([ROUTE]);
  });

  it('are those of a HAR file, without its headers', () => {
    const url = `https://fares.example${PATH}`;
    const routes = parseRoutes(har(['GET', url, 200], ['GET', `${url}#top`, 200]), 'a.har');
    expect(routes).toEqual([ROUTE, ROUTE]);
    expect(JSON.stringify(routes)).not.toContain('secret-7');
  });

  it.each([
    ['refused', line(`GET ${PATH} HTTP/1.1`, 401)],
    ['of another method', line(`POST ${PATH} HTTP/1.1`)],
    ['of another path', line(`GET ${PATH.replace('prices', 'other')} HTTP/1.1`)],
    ['without a name', line(`GET ${PATH.replace('to_name', 'other')} HTTP/1.1`)],
    ['beyond the poles', line(`GET ${PATH.replace('=39.9', '=91')} HTTP/1.1`)],
    ['refused in a HAR file', har(['GET', `https://a${PATH}`, 500])],
  ])('leave out an estimate that is %s', (_what, text) => {
    expect(() => parseRoutes(text, 'access.log')).toThrow(
      'access.log: no request is a GET of /v1/estimates/prices with a whole route and status 200.',
    );
  });

  it.each(['{', '{"log":{}}', '{"log":{"entries":[{"request":{"url":"/"}}]}}'])(
    'are refused from %s, which is no HAR file',
    (text) => {
      expect(() => parseRoutes(text, 'a.har')).toThrow(/^a\.har: it is no HAR file: log/);
    },
  );

  it('are read from CSV as before', () => {
    const text = `${Object.keys(ROUTE).join(',')}\n${Object.values(ROUTE).join(',')}\n`;
    expect(parseRoutes(text, 'routes.csv')).toEqual([ROUTE]);
  });

  it.each([
    [
      'of an AWS load balancer',
      `http 2026-07-02T22:23:00.186641Z app/lb/50d 192.168.131.39:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET http://a:80${PATH} HTTP/1.1" "curl/7.46.0" - -\n`,
      'it is an access log of another form',
    ],
    [
      'of Caddy',
      `{"level":"info","ts":1646861401.5,"request":{"method":"GET","uri":"${PATH}"},"status":200}\n`,
      'it is a log in JSON, line by line, as Caddy writes it, and no HAR file',
    ],
    ['of no form', 'from,to\na,b\n', 'the column start_lat is missing'],
  ])('are refused from a file %s, with what is read', (_of, text, what) => {
    const read = `${what}. What is read: CSV whose first line names start_lat, `;
    expect(() => parseRoutes(text, 'routes')).toThrow(read);
    expect(() => parseRoutes(text, 'routes')).toThrow('a HAR file; or an access log with');
  });
});
