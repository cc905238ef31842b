/** Standard deviations below the expected number of runs from which chance does not explain it: 2 %. */
const FEWEST_DEVIATIONS = 2;

/**
 * Checks whether refusals come in clusters, as those of a rate limit or of an outage do: the requests,
 * in the order in which they were sent, change between accepted and refused more seldom than by chance
 * (the runs test of Wald and Wolfowitz, "On a test whether two samples are from the same population",
 * 1940). A service that misreads some signatures refuses at random places.
 *
 * @param refused whether each request was refused, in the order in which they were sent
 */
export function isClustered(refused: readonly boolean[]): boolean {
  const all = refused.length;
  const ones = refused.filter(Boolean).length;
  const product = 2 * ones * (all - ones);
  if (product === 0) return false;
  const runs = 1 + refused.filter((one, at) => at > 0 && one !== refused[at - 1]).length;
  const expected = 1 + product / all;
  const variance = (product * (product - all)) / (all * all * (all - 1));
  return runs < expected - FEWEST_DEVIATIONS * Math.sqrt(variance);
}
