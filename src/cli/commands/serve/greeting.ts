import { sampleEstimateUrl, sampleTokenRequest } from '../../../app/serve/sample-requests.ts';
import type { ProfilePartner } from '../../../interface/index.ts';
import { DURATION_WORDS } from '../../../interface/index.ts';
import type { RunningServer } from '../../../server/index.ts';
import { quoted } from '../../output/repeat.ts';

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
  return [
    '',
    `Partner      ${partner.id}`,
    `Signing key  ${known ? partner.signingKey : `as in ${partnersFile}`}`,
    ...(authCode === undefined || !known ? [] : [`Auth code    ${authCode}`]),
    '',
    `A token (the signature is valid for ${DURATION_WORDS.timestampValidity}):`,
    '',
    `  ${tokenRequest(partner, server, curl)}`,
    '',
    'An estimate, with its access_token in TOKEN:',
    '',
    `  ${curl} ${quoted(sampleEstimateUrl(server))} \\`,
    "    -H 'Content-Type: application/x-www-form-urlencoded' \\",
    `    -H ${quoted(`Authorization: Bearer ${partner.id}|`)}"$TOKEN"`,
  ];
}

function tokenRequest(partner: ProfilePartner, server: RunningServer, curl: string): string {
  const { url, authorization, body } = sampleTokenRequest(server, partner);
  return [
    `${curl} ${quoted(url)}`,
    "-H 'Content-Type: application/json'",
    `-H ${quoted(`Authorization: ${authorization}`)}`,
    `-d ${quoted(body)}`,
  ].join(' \\\n    ');
}
