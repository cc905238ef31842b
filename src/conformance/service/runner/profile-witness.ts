import { ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import { chosenLedger, type Ledger } from '../../../spending/index.ts';
import type { SeenToken } from '../contract/observation.ts';
import { controlFailed } from '../wire/control-api.ts';
import { Session } from '../wire/session.ts';
import { unlessStopped } from './batch.ts';
import type { TargetRun } from './target-run.ts';

/**
 * Excludes the control API as the cause where a target refused every token request: its partners may be
 * those of another service, or their signing keys and its clock may be wrong. A partner of the profile
 * requests one platform token, dated by this machine's clock. It is sent only if the ledger has room for
 * it, so that it bans nobody.
 *
 * @param requests well-formed token requests of the run
 * @throws FareproofError `CONTROL_FAILED` if that is accepted
 */
export async function excludeControlApi(
  { client, cap, signal, witness }: TargetRun,
  requests: readonly SeenToken[],
): Promise<void> {
  const { target, clock, stamp, control, spend } = client;
  const first = requests[0]?.answer;
  const isSilent = requests.every(({ answer }) => answer.outcome === 'refused');
  if (!control || !witness || !first || !isSilent || signal?.aborted) return;
  if (target.partners.length === 0 || (cap !== null && spend.total >= cap)) return;
  const { wall } = witness;
  await clock.reset();
  // What cannot be recorded is not spent.
  const opening = chosenLedger(witness.ledger)?.open();
  const ledger = opening && (await unlessStopped<Ledger | null>(opening, () => null));
  if (ledger === null) return;
  try {
    const hasRoom = (id: string): boolean =>
      !ledger ||
      (ledger.bannedUntilMs(target.baseUrl, id, wall()) <= wall() &&
        ledger.spentOf(target.baseUrl, id, wall()).platform < ALLOWANCE_PER_DAY.platform);
    const partner = target.partners.find(({ id }) => hasRoom(id));
    if (!partner) return;
    const session = new Session(client, partner, {
      beforeSpend: (id, kinds) => ledger?.spend(target.baseUrl, id, kinds, wall()),
    });
    const changes = { _: stamp.textOf(wall()) };
    const sending = session.token(
      {
        purpose: 'whether a partner of the profile is refused like those of the control API',
        fields: session.tokenFields({ grant_type: 'client_credentials' }, changes),
        wellFormed: true,
      },
      { check: 'profile-witness', number: 1 },
    );
    const answer = await unlessStopped(sending, () => null);
    if (answer?.outcome !== 'accepted') return;
    throw controlFailed(
      `every token request of its partners was refused (status ${first.status}), and ${partner.id} of the profile got a token, with the time of this machine. Its partners, their signing keys or its clock are not those of ${target.baseUrl}`,
    );
  } finally {
    ledger?.close();
  }
}
