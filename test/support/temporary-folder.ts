import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new folder for the current test; deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => remove(folder));
  return folder;
}

/** Same as {@link temporaryFolder}, for all tests of a file; to be called outside of them. */
export function temporaryFolderOfFile(): string {
  const folder = newFolder();
  afterAll(() => remove(folder));
  return folder;
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'fareproof-test-'));
}

/** Retried: a process that just ended may still have been writing. */
function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
