// What `import … from 'playbill'` offers: the jobs of the command as functions, with their types.

export { parseInstant } from '../catalogue/instant.ts';
export { AppError } from '../errors.ts';
export { build, type BuildOptions } from './build.ts';
export type { BuildResult } from './publish-release.ts';
export { diff, openNamedRelease } from './diff.ts';
export { verify } from './verify.ts';
