import { ConfigurationError } from '../../../interface/errors.ts';

/** Flags of `fareproof certify`. */
export interface CertifyFlags {
  readonly scenario: readonly string[];
  readonly list?: true;
  readonly orders?: 'yes' | 'no';
  readonly clientName?: string;
  readonly clientVersion?: string;
  readonly partner?: string;
  readonly proxy?: string;
  readonly ledger?: string;
  readonly serviceRestarted?: true;
  readonly port: string;
  readonly signKey?: string;
  readonly verify?: string;
  readonly publicKey?: string;
  readonly strict?: true;
  readonly seed?: string;
  readonly live?: true;
  readonly json?: true;
  readonly out?: string;
}

/**
 * Refuses flags that exclude each other.
 *
 * @param hasDashes whether `--` was given, so that an empty command is a lost one
 * @throws ConfigurationError `CERTIFY_FLAGS`
 */
export function checkFlags(
  command: readonly string[],
  { publicKey, proxy, ledger, serviceRestarted, scenario }: CertifyFlags,
  hasDashes: boolean,
): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('CERTIFY_FLAGS', message);
  };
  if (hasDashes && (command[0] ?? '').trim() === '') {
    refuse(
      'there is no command after --; add the command of your client (is a variable empty?), or remove -- to listen.',
    );
  }
  if (publicKey !== undefined)
    refuse('--public-key needs --verify; add it, or remove --public-key.');
  if (proxy !== undefined && command.length > 0) {
    refuse('--proxy listens; remove the command and start your client yourself.');
  }
  if (proxy === undefined && (ledger !== undefined || serviceRestarted)) {
    const flag = ledger === undefined ? '--service-restarted' : '--ledger';
    refuse(`${flag} is about the target of --proxy; add it, or remove ${flag}.`);
  }
  if (scenario.length > 0 && command.length === 0) {
    refuse('--scenario runs a client; add its command after --.');
  }
}
