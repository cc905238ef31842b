import { randomBytes } from 'node:crypto';
import type { LivePage, LiveSubject } from '../../report/index.ts';
import type { Io } from '../io.ts';

/** 192 random bits, as base64url. */
const TOKEN_BYTES = 24;

/** Opens the page for `--live` and prints its address to stderr; null without the flag. */
export async function openLivePage(
  { live }: { readonly live?: boolean },
  subject: LiveSubject,
  io: Io,
): Promise<LivePage | null> {
  if (!live) return null;
  const { LivePage: Page } = await import('../../report/index.ts');
  const page = await Page.open(subject, randomBytes(TOKEN_BYTES).toString('base64url'));
  io.note(`live page: ${page.url}`);
  return page;
}
