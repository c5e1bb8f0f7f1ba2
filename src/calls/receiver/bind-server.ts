import type { Server } from 'node:http';
import { FailedError } from '../../kernel/errors.ts';

/** Throws FailedError if the address is not free. */
export async function bindServer(server: Server, host: string, port: number): Promise<void> {
  await bind(server, host, port).catch((error) => {
    throw bindError(error, host, port);
  });
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed).listen(port, host, () => {
      server.off('error', failed).on('error', () => {});
      done();
    });
  });
}

function bindError(cause: NodeJS.ErrnoException, host: string, port: number): FailedError {
  if (cause.code === 'EADDRINUSE') {
    return new FailedError(`port ${port} is in use`, { fix: 'use a free port', retryWith: ['--port', '0'], cause });
  }
  return new FailedError(`cannot listen on ${host}, port ${port}`, { why: cause.message, cause });
}
