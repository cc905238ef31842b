/** Time between two checks of the clock. */
const LOOK_MS = 20;
/** A check that is this late means that the machine was paused. */
const STALL_MS = 100;
const MOST_ATTEMPTS = 20;

/**
 * For tests that depend on the wall clock: repeats a failed test if this process was paused
 * meanwhile, since such a failure proves nothing. Any other failure fails at once.
 */
export async function undisturbed<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const watch = watchStalls();
    try {
      return await act();
    } catch (error) {
      // The pause may be right before the failure, and not yet detected.
      await new Promise((resolve) => setTimeout(resolve, 2 * LOOK_MS));
      const stallMs = Math.round(watch.longestMs());
      if (stallMs < STALL_MS || attempt === MOST_ATTEMPTS) throw error;
      console.warn(
        `Done again, since this process stood still for ${stallMs} ms: ${String(error)}`,
      );
    } finally {
      watch.stop();
    }
  }
}

function watchStalls(): { longestMs(): number; stop(): void } {
  let lookedMs = performance.now();
  let longestMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lookedMs - LOOK_MS);
    lookedMs = nowMs;
  }, LOOK_MS);
  return { longestMs: () => longestMs, stop: () => clearInterval(timer) };
}
