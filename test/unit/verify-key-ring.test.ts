// The key ring: form, keys that are not one key, and above all secrets.

import { expect } from 'vitest';
import { describeDamages, read, remove, soundTree, write, type Damage } from '../support/verify-tree.ts';

const sound = soundTree();

const KEY_RING = 'edge/keyring.json';
const ringChange =
  (change: (text: string) => string, code: string): Damage =>
  (root) => {
    const text = read(root, KEY_RING);
    const changed = change(text);
    expect(changed).not.toBe(text);
    write(root, KEY_RING, changed);
    return [`error ${code} ${KEY_RING}`];
  };

describeDamages('damaged key rings', sound, {
  'the key ring is torn': ringChange((text) => text.slice(0, 200), 'key-ring-invalid'),
  'the key ring is empty': ringChange(() => '', 'key-ring-invalid'),
  'the key ring is a million brackets': ringChange(
    () => '{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000),
    'key-ring-invalid',
  ),
  'the key ring is written otherwise': ringChange((text) => `${text} `, 'key-ring-invalid'),
  'the key ring is gone': (root) => {
    remove(root, KEY_RING);
    return [`error key-ring-invalid ${KEY_RING}`];
  },
  'a private key is in the key ring': ringChange(
    (text) => text.replace('"crv":"Ed25519",', '"crv":"Ed25519","d":"c2VjcmV0",'),
    'secret-in-tree',
  ),
  'a secret is in the key ring': ringChange(
    (text) => text.replace('"secretRef":', '"clientSecret":"hunter2","secretRef":'),
    'secret-in-tree',
  ),
  'a secret lies beside the keys': ringChange(
    (text) => text.replace('"keys":', '"secrets":{},"keys":'),
    'secret-in-tree',
  ),
  'a secret is in a key ring that begins with a byte order mark': ringChange(
    (text) => `\uFEFF${text.replace('"keys":', '"secrets":{},"keys":')}`,
    'secret-in-tree',
  ),
  'a key has a member that nobody knows': ringChange(
    (text) => text.replace('"revokedAt":', '"comment":"","revokedAt":'),
    'key-ring-invalid',
  ),
  'the two forms of a key are not one key': ringChange(
    (text) =>
      text.replace(
        /("crv":"Ed25519","x":")(.)/,
        (_, head: string, first: string) => `${head}${first === 'A' ? 'B' : 'A'}`,
      ),
    'key-ring-invalid',
  ),
});
