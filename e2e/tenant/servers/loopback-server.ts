import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { z } from 'zod';

export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Hands over who answers: known only later, where the server's own address is part of its settings. */
  readonly answerWith: (listener: RequestListener) => void;
}

/** A server on a port of the system's choosing, on both loopback addresses, since `localhost` is either. */
export async function loopbackServer(): Promise<LoopbackServer> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    port,
    answerWith: (listener) => void server.on('request', listener),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
