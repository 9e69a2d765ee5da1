// The module that nginx imports (js_import): passes the modules of njs, and the operator's secrets,
// to the handlers. A bundle may keep only these imports. nginx reads them all when it starts or
// reloads, before it drops its privileges.

import njsCrypto from 'crypto';
import fs from 'fs';
import secrets from 'playbill-secrets.js';
import { nginxHandlers } from './handlers.ts';

export default nginxHandlers({ fs, crypto: njsCrypto, secrets });
