// The module that nginx imports (js_import) for a tree in a bucket.

import njsCrypto from 'crypto';
import { nginxS3Handlers } from './nginx-s3.ts';

export default nginxS3Handlers(njsCrypto);
