// A name server on loopback that knows a few addresses (RFC 1035): what nginx asks for a name that changes. Says of all else that there is
// no such name.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  readonly port: number;
  /** The names that were asked for. */
  readonly asked: readonly string[];
  close(): void;
}

/** Starts it on a free port. `addresses`: IPv4, by name. */
export async function startNameServer(addresses: Readonly<Record<string, string>>): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message);
    asked.push(name);
    const found = addresses[name];
    // A name without an address of that type is there all the same: no answer, and no error.
    const bytes = type === 1 && found !== undefined ? Buffer.from(found.split('.').map(Number)) : null;
    // The id; an answer, recursion available; one question; no authority, nothing additional.
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(bytes === null ? 0 : 1, 6);
    // The name of the question, type A, class IN, for a second.
    const record = bytes === null ? [] : [Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]), bytes];
    socket.send(Buffer.concat([head, message.subarray(12, end), ...record]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, asked, close: () => socket.close() };
}

/** The one question of a message; `end`: behind it. */
function questionOf(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}
