/** An answer that the interface does not let one expect. */
export interface Surprise {
  /** Step that it came at. */
  readonly id: number;
  readonly rule: string;
  /** Action of the service. */
  readonly what: 'refused' | 'accepted' | 'answered';
  readonly reason: string;
  readonly status: number;
  readonly exchange: string;
}
