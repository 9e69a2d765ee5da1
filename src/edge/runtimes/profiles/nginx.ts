// The profile of nginx: the same one twice, first for what nearly all clients send. A bundle for other profiles has another module of
// this folder in its place (deploy/bundle.ts).

import { anyOf } from '../../rule/profile.ts';
import { rfc9421FastPath } from '../../rule/rfc9421-fast-path.ts';
import { rfc9421 } from '../../rule/rfc9421.ts';

export const profile = anyOf(rfc9421FastPath, rfc9421);
