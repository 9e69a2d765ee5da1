// Both profiles of a fetch handler.

import { anyOf } from '../../rule/profile.ts';
import { signedHeaders } from '../../rule/signed-headers.ts';
import { profile as own } from './worker.ts';

export const profile = anyOf(own, signedHeaders);
