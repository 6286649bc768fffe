import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { RunnerError } from '../base/errors.ts';
import { engineUrl, type SshAddress } from './engine-address.ts';
import { shown } from './engine-error.ts';

const connectSeconds = 30;
const mostWords = 4096;

/**
 * A connection to the engine of another machine, made as the docker CLI makes it: by the person's own `ssh`, with
 * its configuration, agent and known hosts, and that machine's own `docker`. ssh asks nothing here.
 */
export function sshConnection(address: SshAddress): Duplex {
  const child = spawn('ssh', sshArguments(address), { stdio: ['pipe', 'pipe', 'pipe'] });
  let words = '';
  let answered = false;
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-mostWords);
  });
  child.stdin.on('error', () => {}); // the end of ssh tells
  const connection = new Duplex({
    allowHalfOpen: true,
    read: () => child.stdout.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      if (child.stdin.write(chunk)) done();
      else child.stdin.once('drain', () => done());
    },
    final: (done) => {
      child.stdin.end(() => done());
    },
    destroy: (error, done) => {
      child.kill();
      done(error);
    },
  });
  child.stdout.on('data', (chunk: Buffer) => {
    answered = true;
    if (!connection.push(chunk)) child.stdout.pause();
  });
  const failed = (why: string): RunnerError =>
    new RunnerError('ConnectionLost', `${engineUrl(address)} cannot be reached by ssh: ${shown(why)}`, {
      retry: answered,
    });
  child.on('error', (error) => connection.destroy(failed(`ssh cannot be run: ${error.message}`)));
  child.on('close', (code) => {
    if (answered || code === 0) connection.push(null);
    else connection.destroy(failed(words || `ssh ended with ${code}`));
  });
  return connection;
}

function sshArguments({ user, host, port, path }: SshAddress): readonly string[] {
  const remote = path === undefined ? ['docker'] : ['docker', '--host', `unix://${path}`];
  return [
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    '-o',
    `ConnectTimeout=${connectSeconds}`,
    '-o',
    'BatchMode=yes',
    '-T',
    '--',
    host,
    ...remote.map(quoted),
    'system',
    'dial-stdio',
  ];
}

/** ssh hands its words to a shell over there. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
