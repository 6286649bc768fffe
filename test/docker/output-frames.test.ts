import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { separateOutputs } from '../../src/engine/output-frames.ts';

const never = new AbortController().signal;
const noCheck = async (): Promise<void> => {};

function frame(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

async function separated(chunks: readonly Buffer[], check = noCheck): Promise<readonly [string, string]> {
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
  await separateOutputs(Readable.from(chunks), outputs, check, never);
  outputs.stdout.end();
  outputs.stderr.end();
  return [String(await outputs.stdout.toArray()), String(await outputs.stderr.toArray())];
}

it('takes outputs apart wherever the chunks are cut', async () => {
  const bytes = Buffer.concat([frame(1, 'one '), frame(2, 'err'), frame(1, ''), frame(1, 'two')]);
  for (let at = 1; at < bytes.length; at++) {
    const [out, err] = await separated([bytes.subarray(0, at), bytes.subarray(at)]);
    expect([out.replaceAll(',', ''), err.replaceAll(',', '')]).toEqual(['one two', 'err']);
  }
});

it('refuses what is no frame, and tells of one that is cut', async () => {
  await expect(separated([Buffer.from('plain words of something else')])).rejects.toMatchObject({
    code: 'ProtocolViolation',
  });
  await expect(separated([frame(1, 'hello').subarray(0, 10)])).rejects.toMatchObject({
    code: 'ConnectionLost',
    retry: true,
  });
});

it('hands nothing on of what is told to be no output of the program', async () => {
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
  const check = async (): Promise<void> => {
    throw new Error('never started');
  };
  const work = separateOutputs(Readable.from([frame(1, 'OCI runtime exec failed')]), outputs, check, never);
  await expect(work).rejects.toThrow('never started');
  expect(outputs.stdout.readableLength).toBe(0);
});

it('waits for a reader that does not read', async () => {
  const outputs = { stdout: new PassThrough({ highWaterMark: 4 }), stderr: new PassThrough() };
  let asked = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (; asked < 1000; asked++) yield frame(1, 'abcd');
  }
  const stop = new AbortController();
  const work = separateOutputs(Readable.from(endless(), { highWaterMark: 1 }), outputs, noCheck, stop.signal);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toBeLessThan(20);
  stop.abort(new Error('enough'));
  await expect(work).rejects.toThrow('aborted');
});
