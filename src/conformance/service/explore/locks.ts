import { LIMITS } from '../../../interface/limits.ts';
import type { LockStep } from '../contract/walk.ts';
import { isPriced, judgeAfter, judgeBefore, MARGIN_SECONDS } from '../rules/lock.ts';
import type { Stage, Surprise } from './stage.ts';

/** Judges the lock of an estimate as it stands; null where there is none to look at. */
export async function lockProblem(
  { id, of }: LockStep,
  stage: Stage,
): Promise<{ readonly surprise: Surprise | null; readonly exchanges: readonly string[] } | null> {
  const { client, estimated, walk } = stage;
  const one = estimated.get(of);
  const { estimate_id: estimateId, estimate_price: price } = one?.answer.records[0] ?? {};
  if (!one || typeof estimateId !== 'string' || !client.control) return null;
  const session = await stage.session(one.partner);
  const isLong = one.partner === 1 && walk.longLock;
  const seconds = isLong ? LIMITS.longEstimateLockSeconds : LIMITS.estimateLockSeconds;
  const part = stage.nextPart();
  const readAtMs = client.clock.now();
  const read = await client.readLock(estimateId, session.partner.id, part);
  const endMs = one.answer.answeredAtMs + seconds * 1000;
  const watched = {
    what: 'an estimate',
    estimate: one.answer,
    id: estimateId,
    price: isPriced(one.shape ?? undefined) ? price : undefined,
  };
  const lock = { callerId: session.partner.id, seconds };
  const isBefore = readAtMs < one.answer.sentAtMs + (seconds - MARGIN_SECONDS / 2) * 1000;
  const isAfter = readAtMs > endMs + (MARGIN_SECONDS / 2) * 1000;
  const isForeign =
    read.lock !== null && read.lock.partnerId !== null && read.lock.partnerId !== lock.callerId;
  const exchanges = [one.answer.exchange, read.exchange];
  if (isForeign || (isBefore && !read.lock)) return { surprise: null, exchanges };
  const judgement = isBefore
    ? judgeBefore(lock, watched, { ...read.lock!, readAtMs })
    : isAfter
      ? judgeAfter(lock, watched, read.lock)
      : null;
  if (judgement?.verdict !== 'violated') return { surprise: null, exchanges };
  const rule = isLong ? 'lock/partner-60-minutes' : 'lock/default-10-minutes';
  const surprise: Surprise = {
    id,
    rule,
    what: 'answered',
    reason: `${judgement.reason}`,
    status: 200,
    exchange: read.exchange,
  };
  return { surprise, exchanges };
}
