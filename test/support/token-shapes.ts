/** Tokens of one answer. */
export interface IssuedTokens {
  readonly access: string;
  readonly refresh: string;
}

/** A way to answer a token request. */
export interface TokenShape {
  readonly body: (tokens: IssuedTokens) => string;
  readonly contentType?: string;
  readonly status?: number;
  /** The tokens are numbers. */
  readonly ofDigits?: true;
}

const REST = { expires_in_second: 7200, token_type: 'bearer', scope: 'public' };

const usual = ({ access, refresh }: IssuedTokens): object => ({
  access_token: access,
  refresh_token: refresh,
  ...REST,
});

const json = (tokens: IssuedTokens): string => JSON.stringify(usual(tokens));

const form = (tokens: IssuedTokens): string =>
  Object.entries(usual(tokens))
    .map(([name, one]) => `${name}=${encodeURIComponent(`${one}`)}`)
    .join('&');

/** Answers to a token request, each with its tokens in a place or spelling that another service has. */
export const TOKEN_SHAPES: Readonly<Record<string, TokenShape>> = {
  'as documented': { body: json },
  'wrapped in data': { body: (tokens) => JSON.stringify({ code: 0, data: usual(tokens) }) },
  'wrapped three times': {
    body: (tokens) => JSON.stringify({ result: { body: { token: usual(tokens) } } }),
  },
  'in camelCase': {
    body: ({ access, refresh }) =>
      JSON.stringify({ accessToken: access, refreshToken: refresh, expiresIn: 7200 }),
  },
  'in an array': { body: (tokens) => JSON.stringify([usual(tokens)]) },
  'in an array of values': {
    body: ({ access, refresh }) => JSON.stringify([access, refresh, 7200]),
  },
  'as a number': {
    ofDigits: true,
    body: ({ access, refresh }) =>
      `{"access_token":${access},"refresh_token":${refresh},"expires_in_second":7200,"token_type":"bearer","scope":"public"}`,
  },
  'the first of a duplicate key': {
    body: ({ access, refresh }) =>
      `{"access_token":"${access}","access_token":"","refresh_token":"${refresh}","refresh_token":"x"}`,
  },
  'before a trailing comma': { body: (tokens) => json(tokens).replace(/}$/, ',}') },
  'cut off': { body: ({ access }) => `{"token_type":"bearer","access_token":"${access}` },
  'as a form': { body: form, contentType: 'application/x-www-form-urlencoded' },
  'as XML': {
    body: ({ access, refresh }) =>
      `<?xml version="1.0"?><oauth><access_token>${access}</access_token><refresh_token>${refresh}</refresh_token></oauth>`,
    contentType: 'application/xml',
  },
  'in attributes of XML': {
    body: ({ access, refresh }) =>
      `<token access="${access}" refresh='${refresh}' expires="7200"/>`,
    contentType: 'application/xml',
  },
  'as JSONP': { body: (tokens) => `callback(${json(tokens)});` },
  'as JSON in a string': { body: (tokens) => JSON.stringify(json(tokens)) },
  'as JSON in a field': { body: (tokens) => JSON.stringify({ payload: json(tokens) }) },
  'in single quotes': { body: (tokens) => json(tokens).replaceAll('"', "'") },
  'as id_token': {
    body: (tokens) => JSON.stringify({ id_token: tokens.access, refresh: tokens.refresh, ...REST }),
  },
  'as an event stream': {
    body: (tokens) => `event: token\ndata: ${json(tokens)}\n\n`,
    contentType: 'text/event-stream',
  },
  'as YAML': {
    body: ({ access, refresh }) => `access_token: ${access}\nrefresh_token: ${refresh}\n`,
    contentType: 'text/yaml',
  },
  'as two lines of JSON': {
    body: ({ access, refresh }) =>
      `${JSON.stringify({ access_token: access })}\n${JSON.stringify({ refresh_token: refresh })}\n`,
  },
  'as plain text': { body: ({ access }) => access, contentType: 'text/plain' },
  'in a link of a page': {
    body: (tokens) => `<html><a href="https://app.example/done#${form(tokens)}">done</a></html>`,
    contentType: 'text/html',
  },
  'in escapes of PHP': {
    body: (tokens) => JSON.stringify({ data: usual(tokens) }).replaceAll('/', '\\/'),
  },
  'with another status': {
    status: 202,
    body: (tokens) => JSON.stringify({ message: `issued ${tokens.access}`, next: tokens.refresh }),
  },
};
