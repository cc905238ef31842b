/** Difference of two monotonic clocks. */
export interface ClockOffset {
  /** To be added to a time of the controller's clock, nanoseconds. */
  readonly offsetNs: number;
  /** The true offset differs by at most this, nanoseconds: half of the round trip. */
  readonly errorNs: number;
  /** The longest round trip, nanoseconds. */
  readonly longestTripNs: number;
}

/** One exchange of a ping and its answer. */
export interface RoundTrip {
  /** Controller's clock, nanoseconds. */
  readonly sentNs: number;
  readonly receivedNs: number;
  /** The agent's clock, between the two, nanoseconds. */
  readonly agentNs: number;
}

/**
 * Estimates the offset by the shortest of the round trips, as in NTP (RFC 5905, section 10): it
 * leaves the least room for the moment at which the agent read its clock.
 *
 * @throws RangeError without a round trip
 */
export function offsetOf(trips: readonly RoundTrip[]): ClockOffset {
  const lengthOf = ({ sentNs, receivedNs }: RoundTrip): number => receivedNs - sentNs;
  const best = trips.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
  if (best === undefined) throw new RangeError('an offset needs a round trip');
  return {
    offsetNs: best.agentNs - (best.sentNs + best.receivedNs) / 2,
    errorNs: lengthOf(best) / 2,
    longestTripNs: Math.max(...trips.map(lengthOf)),
  };
}
