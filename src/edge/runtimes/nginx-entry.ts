// The module that nginx imports (js_import): the handlers with the modules of njs put in. The only imports that a bundle may keep.

import njsCrypto from 'crypto';
import fs from 'fs';
import { nginxHandlers } from './nginx.ts';

export default nginxHandlers({ fs, crypto: njsCrypto });
