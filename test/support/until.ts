const PAUSE_MS = 5;
/** At least half a minute; on a busy machine, where a round takes longer, more. */
const MOST_ROUNDS = 6_000;

/**
 * Waits until a condition is true; fake intervals do not advance meanwhile.
 *
 * @param seen tells what there is instead, for the error
 * @throws Error that quotes the condition, if it does not become true
 */
export async function until(isSo: () => boolean, seen?: () => unknown): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const instead = seen === undefined ? '' : `, but ${JSON.stringify(seen())}`;
  throw new Error(`waited in vain for ${isSo.toString()}${instead}`);
}
