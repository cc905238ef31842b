/** Between two looks at the clock. */
const LOOK_MS = 20;
/** From here on, a look that comes late means that the machine stood still, or was taken away. */
const STALL_MS = 100;
const MOST_ATTEMPTS = 20;

/**
 * For what hangs on the clock of the wall and cannot be given another: does it again where it failed
 * and this process was seen to stand still meanwhile, for a machine that did proves nothing. What
 * fails while the machine keeps up fails at once.
 */
export async function undisturbed<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const watch = watchStalls();
    try {
      return await act();
    } catch (error) {
      // The stall may lie right before the failure, and was not looked for since.
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
