import { Refusal } from '../../src/server/service/messages.ts';

/** The refusal that an action throws; null if it throws nothing. */
export function refusalOf(action: () => unknown): Refusal | null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
