import { randomBytes } from 'node:crypto';
import {
  ESTIMATES_PATH,
  type ProfilePartner,
  type SignaturePairs,
  sign,
  signatureSettingsOf,
  TOKEN_PATH,
} from '../../../interface/index.ts';
import { type RunningServer, SHAPE_QUERIES } from '../../../server/index.ts';
import { quoted } from '../../output/repeat.ts';

const ROUTE = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: 'Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer-Palace',
};

/**
 * The one line of `serve --json`; keys and codes of a file are not printed.
 *
 * @param metricsUrl address of `--metrics`; undefined without that flag
 * @param partnersFile file of `--partners`; undefined for the demo partners, whose keys are public
 */
export function describeServer(
  server: RunningServer,
  metricsUrl?: string,
  partnersFile?: string,
): string {
  return JSON.stringify({
    baseUrl: server.baseUrl,
    controlUrl: server.controlUrl,
    controlToken: server.controlToken,
    ...(metricsUrl !== undefined && { metricsUrl }),
    partners: server.partners.map(({ id, signingKey, authCodes }) => ({
      partnerId: id,
      ...(partnersFile === undefined ? { signingKey, authCodes } : {}),
    })),
  });
}

/**
 * The text of `serve` once it listens: address, demo partner, and two commands to paste.
 *
 * @param certPath the server's own certificate; undefined without TLS
 * @param partnersFile file of `--partners`, whose keys and codes are not printed
 * @param isTokenChosen false for a random token of the control API, which is printed
 */
export function greet(
  server: RunningServer,
  {
    cert: certPath,
    partners: partnersFile,
  }: { readonly cert?: string; readonly partners?: string },
  isTokenChosen: boolean,
): string {
  const [partner] = server.partners;
  return [
    `Listening on ${server.baseUrl} (${server.environment})`,
    ...(server.controlUrl === null ? [] : [`Control API on ${server.controlUrl}`]),
    ...(server.controlToken === null
      ? []
      : [
          `Its token is ${isTokenChosen ? 'that of FAREPROOF_CONTROL_TOKEN' : server.controlToken}`,
        ]),
    ...(partner === undefined ? [] : introduce(partner, server, { certPath, partnersFile })),
    '',
    'State is in memory and ends with this process. Stop with Ctrl-C.',
  ].join('\n');
}

function introduce(
  partner: ProfilePartner,
  server: RunningServer,
  { certPath, partnersFile }: Record<'certPath' | 'partnersFile', string | undefined>,
): string[] {
  const [authCode] = partner.authCodes;
  const known = partnersFile === undefined;
  const curl = `curl -s${certPath === undefined ? '' : ` --cacert ${quoted(certPath)}`}`;
  const query = new URLSearchParams({ ...ROUTE, ...SHAPE_QUERIES.plain }).toString();
  return [
    '',
    `Partner      ${partner.id}`,
    `Signing key  ${known ? partner.signingKey : `as in ${partnersFile}`}`,
    ...(authCode === undefined || !known ? [] : [`Auth code    ${authCode}`]),
    '',
    'A token (the signature is valid for 10 minutes):',
    '',
    `  ${tokenRequest(partner, server, curl)}`,
    '',
    'An estimate, with its access_token in TOKEN:',
    '',
    `  ${curl} ${quoted(`${server.baseUrl}${ESTIMATES_PATH}?${query}`)} \\`,
    "    -H 'Content-Type: application/x-www-form-urlencoded' \\",
    `    -H ${quoted(`Authorization: Bearer ${partner.id}|`)}"$TOKEN"`,
  ];
}

function tokenRequest(partner: ProfilePartner, server: RunningServer, curl: string): string {
  const fields: SignaturePairs = {
    grant_type: 'client_credentials',
    _: new Date(server.clock.now()).toISOString(),
    nostr: randomBytes(3).toString('hex'),
  };
  const signed = server.behaviour['signed-fields-token'];
  const pairs = Object.entries(fields).filter(
    ([name]) => signed === 'all' || signed.includes(name),
  );
  const signature =
    pairs.length === 0
      ? ''
      : sign(Object.fromEntries(pairs), partner.signingKey, signatureSettingsOf(server.behaviour));
  return [
    `${curl} ${quoted(server.baseUrl + TOKEN_PATH)}`,
    "-H 'Content-Type: application/json'",
    `-H ${quoted(`Authorization: Bearer ${partner.id}|${signature}`)}`,
    `-d ${quoted(JSON.stringify(fields))}`,
  ].join(' \\\n    ');
}
