/** Blocks this process, as on a machine that is paused. */
export function standStill(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}
