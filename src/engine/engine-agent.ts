import { Agent, type ClientRequestArgs } from 'node:http';
import { type NetConnectOpts, connect as plainConnect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { EngineAddress } from './engine-address.ts';
import { sshConnection } from './ssh-connection.ts';

/** Makes the connections to one engine, whatever the road; Node's agent keeps the idle ones for later requests. */
export class EngineAgent extends Agent {
  readonly #address: EngineAddress;

  constructor(address: EngineAddress) {
    // ssh's connection is no socket, which Node would ask of one that it keeps
    super({ keepAlive: address.kind !== 'ssh', maxFreeSockets: 4 });
    this.#address = address;
  }

  override createConnection(
    _options: ClientRequestArgs,
    connected?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    void connected; // what is returned tells by its own events
    return connectTo(this.#address);
  }
}

/** A connection of its own. */
function connectTo(address: EngineAddress): Duplex {
  switch (address.kind) {
    case 'unix':
      return plainConnect({ path: address.path });
    case 'tcp': {
      const to: NetConnectOpts = { host: address.host, port: address.port, keepAlive: true };
      if (!address.tls) return plainConnect(to);
      const { ca, certificate, key } = address.tls;
      return tlsConnect({
        ...to,
        servername: /^[\d.]+$|:/.test(address.host) ? '' : address.host, // a number is no name to ask for
        ...(ca === undefined ? {} : { ca }),
        ...(certificate === undefined ? {} : { cert: certificate }),
        ...(key === undefined ? {} : { key }),
      });
    }
    case 'ssh':
      return sshConnection(address);
  }
}
