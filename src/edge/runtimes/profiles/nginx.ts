// The default profile of nginx: rfc9421, with the fast path for the form that nearly all clients send. For other profiles, deploy/bundle.ts
// replaces this module with another of this folder.

import { anyOf } from '../../rule/profile.ts';
import { rfc9421FastPath } from '../../rule/rfc9421-fast-path.ts';
import { rfc9421 } from '../../rule/rfc9421.ts';

export const profile = anyOf(rfc9421FastPath, rfc9421);
