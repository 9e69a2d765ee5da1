// Answers requests that node:http does not pass on, in the form of the rule's refusals: those it
// cannot parse, and CONNECT.
//
// Node.js: its server itself answers a request without Host, unless `requireHostHeader` is off.
// Malformed HTTP reaches `clientError`.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Refusal, refuse } from '../rule/refusal-response.ts';
import { methodNotAllowed } from '../rule/rule.ts';

/** How long the rest of a refused request is read and discarded. */
const LINGER_MS = 2000;

/** A listener for the event `clientError` of a server. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // More of a request that has been refused. If the connection were closed before all of it is
  // read, the system would reset it, and a proxy might lose the answer.
  if (socket.writableEnded && !socket.destroyed) return;
  // A client that disconnected or timed out reads no answer.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.destroy();
    return;
  }
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  answer(socket, isLarge ? refuse(431, 'header-too-large') : refuse(400, 'request-malformed'));
}

/** A listener for the event `connect` of a server. */
export function refuseConnect(_: IncomingMessage, socket: Duplex): void {
  answer(socket, methodNotAllowed());
}

function answer(socket: Duplex, { status, headers, body }: Refusal): void {
  const lines = [...headers, ['Content-Length', String(Buffer.byteLength(body))], ['Connection', 'close']];
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
  // The client may reset the connection meanwhile, and without a listener an error ends the
  // process.
  socket.on('error', () => undefined);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
