// Builds after `npm ci` in a clone, so that bin/fareproof.js works there. npm runs this before it packs
// too, where `prepack` builds.

import { execSync } from 'node:child_process';

const { npm_command: command = '' } = process.env;
if (!['pack', 'publish'].includes(command))
  execSync('npm run --silent build', { stdio: 'inherit' });
