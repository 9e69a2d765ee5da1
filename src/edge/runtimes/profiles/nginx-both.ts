// Both profiles of nginx.

import { anyOf } from '../../rule/profile.ts';
import { signedHeaders } from '../../rule/signed-headers.ts';
import { profile as own } from './nginx.ts';

export const profile = anyOf(own, signedHeaders);
