// Refuses requests that node:http cannot parse, in the form of the rule's refusals.

import type { Duplex } from 'node:stream';
import { refuse } from '../rule/refusal.ts';

/** A listener for the event `clientError` of a server. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // A client that disconnected or timed out reads no answer.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.destroy();
    return;
  }
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, headers, body } = isLarge ? refuse(431, 'header-too-large') : refuse(400, 'request-malformed');
  const lines = [...headers, ['Content-Length', String(Buffer.byteLength(body))], ['Connection', 'close']];
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
}
