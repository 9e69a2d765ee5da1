// The module that nginx imports (js_import): passes the modules of njs to the handlers. A bundle
// may keep only these two imports.

import njsCrypto from 'crypto';
import fs from 'fs';
import { nginxHandlers } from './handlers.ts';

export default nginxHandlers({ fs, crypto: njsCrypto });
