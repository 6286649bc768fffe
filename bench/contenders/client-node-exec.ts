import { PassThrough, type Readable, Writable } from 'node:stream';
import { Exec, KubeConfig } from '@kubernetes/client-node';
import type { Stage } from '../stage.ts';
import type { PodAddress } from './pod-address.ts';

interface ClientNodeExecOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

export type ClientNodeExec = (
  address: PodAddress,
  command: readonly string[],
  options?: ClientNodeExecOptions,
) => Promise<void>;

/** A program in a pod by the official client for JavaScript. */
export function clientNodeExec({ kubeconfig, namespace }: Stage): ClientNodeExec {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const exec = new Exec(config);
  return ({ pod, container }, command, { stdin, stdout } = {}) =>
    new Promise((resolve, reject) => {
      const sink = stdout ?? new Writable({ write: (_chunk, _encoding, done) => done() });
      const stderr = new PassThrough();
      stderr.resume();
      exec
        .exec(
          namespace,
          pod,
          container,
          [...command],
          sink,
          stderr,
          stdin ?? null,
          false,
          ({ status, message }) => {
            if (status === 'Success') resolve();
            else reject(new Error(`${command.join(' ')}: ${message ?? status}`));
          },
        )
        .then((socket) => {
          socket.onerror = ({ message }) => reject(new Error(message));
        }, reject);
    });
}
