// The seasons in the order in which their products, venues and terms are numbered.

import type { Season } from './season.ts';
import { berlin } from './seasons/berlin.ts';
import { gulf } from './seasons/gulf.ts';
import { lyon } from './seasons/lyon.ts';
import { montreal } from './seasons/montreal.ts';
import { moscow } from './seasons/moscow.ts';
import { mumbai } from './seasons/mumbai.ts';
import { tokyo } from './seasons/tokyo.ts';
import { touring } from './seasons/touring.ts';

export const seasons: readonly Season[] = [moscow, berlin, gulf, tokyo, mumbai, montreal, touring, lyon];
