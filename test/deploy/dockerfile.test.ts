import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import lockFile from '../../package-lock.json' with { type: 'json' };
import { DOCKERFILE, instructionsOf, lastOf, OPTIONAL, stagesOf } from './dockerfile.ts';

const stages = stagesOf(DOCKERFILE);
const command = instructionsOf(stages, 'command');
const serve = instructionsOf(stages, 'serve');

describe('Dockerfile', () => {
  it('pins its base images to a line of Node, without development files in the last', () => {
    const images = stages.map(({ base }) => base).filter((base) => base.includes(':'));
    expect(images).toEqual(['node:22-slim', 'node:22-slim']);
    expect(stages.at(-1)).toMatchObject({ base: 'command', instructions: [] });
    expect(lastOf(command, 'RUN')).toContain('--omit=dev');
  });

  it.each([
    ['command', command],
    ['serve', serve],
  ])('%s runs as an ordinary user, and gets signals itself', (_stage, instructions) => {
    expect(lastOf(instructions, 'USER')).toBe('node');
    expect(JSON.parse(lastOf(instructions, 'ENTRYPOINT'))).toEqual(['fareproof']);
    expect(JSON.parse(lastOf(instructions, 'CMD'))).toBeInstanceOf(Array);
  });

  it('keeps all that outlives a container on volumes', () => {
    const volumes = JSON.parse(lastOf(command, 'VOLUME')) as string[];
    expect(volumes).toEqual(['/data/reports', '/data/state']);
    expect(lastOf(command, 'ENV')).toContain(`FAREPROOF_STATE_DIR=${volumes[1]}/`);
    expect(lastOf(command, 'WORKDIR')).toBe('/data');
  });

  it('checks the health of a server at the port that it serves', () => {
    const port = lastOf(serve, 'EXPOSE');
    expect(lastOf(serve, 'HEALTHCHECK')).toContain(`:${port}/`);
    expect(JSON.parse(lastOf(serve, 'CMD'))).toContain(port);
  });

  it('installs each optional package of package.json, as the lock file has it', () => {
    const [install = ''] = lastOf(command, 'RUN').split('&&');
    const lock: { packages: Readonly<Record<string, { version?: string }>> } = lockFile;
    for (const name of OPTIONAL) {
      const { version } = lock.packages[`node_modules/${name}`] ?? {};
      expect(install.split(/\s+/)).toContain(`${name}@${version}`);
    }
  });

  it('is labelled with version, source and licence of package.json', () => {
    const labels = lastOf(command, 'LABEL');
    expect(labels).toContain(`image.version="${packageFile.version}"`);
    expect(labels).toContain(`image.licenses="${packageFile.license}"`);
  });
});

it('.dockerignore keeps history, packages, builds and reports out of the build', () => {
  const ignored = readFileSync(new URL('../../.dockerignore', import.meta.url), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist', 'reports/*']));
});
