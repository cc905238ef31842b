/** Keeps this process from doing anything else, as a machine does that is taken away for a while. */
export function standStill(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}
