// The module that nginx imports (js_import) where the tree is in a bucket: nginx-entry.ts with other handlers.

import njsCrypto from 'crypto';
import { nginxS3Handlers } from './nginx-s3.ts';

export default nginxS3Handlers(njsCrypto);
