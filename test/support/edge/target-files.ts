// The files that `edge build` writes for a target, from options alone: no tree, no command line.

import { authorizer, type AuthorizerDeployment } from '../../../src/edge/targets/authorizer/deploy.ts';
import { lambdaEdge } from '../../../src/edge/targets/lambda-edge/deploy.ts';
import { nginx } from '../../../src/edge/targets/nginx/deploy.ts';
import type { Deployment, DeploymentFiles, TargetOptions } from '../../../src/edge/targets/target.ts';
import { bundleFor, targetNamed } from '../../../src/edge/targets/targets.ts';
import type { WorkerDeployment as Deployed } from '../../../src/edge/targets/worker/deployment.ts';

/** What only a server of nginx has, and by default has not. */
type ServerOptions = Pick<TargetOptions, 'serverName' | 'certificate' | 'certificateKey'>;
const NO_SERVER: ServerOptions = { serverName: null, certificate: null, certificateKey: null };
type Without<Options> = Omit<Options, keyof ServerOptions> & Partial<ServerOptions>;

export const authorizerFiles = (deployment: Without<AuthorizerDeployment>): DeploymentFiles =>
  authorizer.files({ ...NO_SERVER, ...deployment });
export const lambdaEdgeFiles = lambdaEdge.files;

export const nginxFiles = (
  deployment: Deployment &
    Pick<TargetOptions, 'publicRoot' | 'keyRingPath' | 'listen' | 'folder'> &
    Partial<ServerOptions>,
): DeploymentFiles => nginx.files({ ...NO_SERVER, ...deployment, origin: 'ASSETS' });

/** `target`: the name of a host of workers. */
export type WorkerDeployment = Deployed & { readonly target: string };

export const workerFiles = ({ target, ...deployment }: WorkerDeployment): DeploymentFiles =>
  targetNamed(target).files({
    ...deployment,
    ...NO_SERVER,
    proxy: null,
    authorizer: '',
    listen: '',
    folder: '',
    keyRingPath: null,
  });

/** The name of the bundle of a worker that reads the tree there. */
export const workerBundle = (origin: string): string => bundleFor(targetNamed('cloudflare'), origin).name;
