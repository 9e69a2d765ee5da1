// The files that `edge build` writes for a target, from options alone: no tree, no command line.

import { authorizer } from '../../../src/edge/targets/authorizer/deploy.ts';
import { lambdaEdge } from '../../../src/edge/targets/lambda-edge/deploy.ts';
import { nginx } from '../../../src/edge/targets/nginx/deploy.ts';
import type { Deployment, DeploymentFiles, TargetOptions } from '../../../src/edge/targets/target.ts';
import { bundleFor, targetNamed } from '../../../src/edge/targets/targets.ts';
import type { WorkerDeployment as Deployed } from '../../../src/edge/targets/worker/deployment.ts';

export const authorizerFiles = authorizer.files;
export const lambdaEdgeFiles = lambdaEdge.files;

export const nginxFiles = (
  deployment: Deployment & Pick<TargetOptions, 'publicRoot' | 'keyRingPath' | 'listen'>,
): DeploymentFiles => nginx.files({ ...deployment, origin: 'ASSETS' });

/** `target`: the name of a host of workers. */
export type WorkerDeployment = Deployed & { readonly target: string };

export const workerFiles = ({ target, ...deployment }: WorkerDeployment): DeploymentFiles =>
  targetNamed(target).files({ ...deployment, proxy: null, authorizer: '', listen: '', keyRingPath: null });

/** The name of the bundle of a worker that reads the tree there. */
export const workerBundle = (origin: string): string => bundleFor(targetNamed('cloudflare'), origin).name;
