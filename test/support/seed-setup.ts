// The seed of `npm run soak`, for every property that has none of its own.

import * as fc from 'fast-check';
import { SEED } from '../speeds.ts';

if (SEED !== null) fc.configureGlobal({ seed: SEED });
