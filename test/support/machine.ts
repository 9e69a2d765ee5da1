// A machine of its own for a guide that is typed by root: namespaces of Linux with a copy of this
// machine's files, in which what is typed may change everything and is gone afterwards. What would
// need another machine is stood in for: package archives, systemd, the mail of cron.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledCommand, folderOfRun } from './compiled.ts';
import { temporaryFolder } from './edge/temporary-folder.ts';
import type { Ran } from './recipe.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/**
 * systemctl, for the servers of the guides: starts one, or has it read its configuration again, and
 * returns when that is in force. A unit of one's own is run as it says, but for its sandbox.
 */
const SYSTEMCTL = `#!/bin/bash
set -eu
unit=\${!#}
name=$(basename "$unit" .service)
children() { pgrep -P "$(cat /run/nginx.pid)" || true; }
if [ "$name" = nginx ]; then
  [ -s /run/nginx.pid ] || exec nginx
  before=$(children)
  nginx -s reload
  while children | grep -qFx "$before"; do sleep 0.05; done
  exit
fi
port=443
case $name in
  caddy) command='caddy run --config /etc/caddy/Caddyfile --adapter caddyfile' ;;
  haproxy) command='haproxy -db -f /etc/haproxy/haproxy.cfg' ;;
  apache2) command='apachectl -D FOREGROUND' ;;
  *) command=$(sed -n 's/^ExecStart=//p' "$unit") port=9180 ;;
esac
setsid $command > "/var/log/started-$name" 2>&1 < /dev/null &
until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
  kill -0 $! || { cat "/var/log/started-$name" >&2; exit 1; }
  sleep 0.05
done
`;

const SETUP = `
set -eu
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
for path in "$2" "$3" "$4"; do
  mkdir -p "$1/root$path"
  mount --bind "$path" "$1/root$path"
  mount -o remount,bind,ro "$1/root$path"
done
cp -r "$5/bin/." "$1/root/usr/local/bin/"
ip link set lo up
exec chroot "$1/root" /bin/bash -e -o pipefail "$5/typed.sh"
`;

/** Whether this system lets the tests make one: Linux, root, and the right to mount. */
export function mayMakeMachine(): boolean {
  const { status } = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'x', '/mnt']);
  if (status !== 0) console.warn('a guide is not typed: this test needs root on Linux, and the right to mount');
  return status === 0;
}

/** Programs of a machine, by name: scripts in /usr/local/bin. */
type Programs = Readonly<Record<string, string>>;

const nodeProgram = (words: string): string => `#!/bin/sh\nexec "${process.execPath}" ${words}"$@"\n`;

/** The command as it is compiled for the tests. */
export const commandProgram = (): string => nodeProgram(`"${compiledCommand()}" `);

/**
 * Types a script as root; the first command that fails ends it. The machine can read the checkout
 * and the folder of the run, and has these programs beside this one's.
 */
export function typeOnMachine(script: string, programs: Programs): Ran {
  const folder = temporaryFolder();
  const [bin, mountPoint] = [join(folder, 'bin'), join(folder, 'machine')];
  for (const path of [bin, mountPoint]) mkdirSync(path);
  const all = { 'apt-get': '#!/bin/sh\n', systemctl: SYSTEMCTL, node: nodeProgram(''), ...programs };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(bin, name), text, { mode: 0o755 });
  writeFileSync(join(folder, 'typed.sh'), script);
  const words = ['--mount', '--net', '--pid', '--fork', '--kill-child', 'bash', '-c', SETUP, 'bash', mountPoint];
  const readable = [checkout, dirname(dirname(process.execPath)), folderOfRun()];
  const { status, stdout, stderr } = spawnSync('unshare', [...words, ...readable, folder], {
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' },
  });
  return { status, stdout, stderr };
}
