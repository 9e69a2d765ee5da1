// What programs get by `import … from 'playbill'`: the jobs of the command as functions, with what they take and return.

export { parseInstant } from '../catalogue/instant.ts';
export { AppError } from '../errors.ts';
export { build, type BuildOptions } from './build.ts';
export type { BuildResult } from './publish-release.ts';
export { diff, openNamedRelease } from './diff.ts';
export { verify } from './verify.ts';
