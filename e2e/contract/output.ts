import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Session } from './session.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes of a step's log: all of them, in order, and no other. */
export function outputContract(session: () => Session): void {
  it.each([
    ['nothing', 'true', ''],
    ['no final newline', 'printf "a\\nb"', 'a\nb'],
    ['carriage returns', 'printf "1%%\\r50%%\\r100%%\\r\\n\\r"', '1%\r50%\r100%\r\n\r'],
    ['only newlines', 'printf "\\n\\n\\n"', '\n\n\n'],
    ['escape codes', 'printf "\\033[31mred\\033[0m\\007"', '\x1b[31mred\x1b[0m\x07'],
    ['what looks like a mark', 'printf "\\036abc 0 - - - - - 0\\n\\036"', '\x1eabc 0 - - - - - 0\n\x1e'],
  ])('brings %s as it was written', async (_, command, output) => {
    expect(await session().output(command)).toBe(output);
  });

  it('brings output and errors in the order they were written', async () => {
    const { text } = await session().run(
      'i=0; while [ $i -lt 300 ]; do echo $i; echo $i >&2; i=$((i + 1)); done',
    );
    expect(text).toBe(Array.from({ length: 300 }, (_, i) => `${i}\n${i}\n`).join(''));
  });

  it('loses nothing to a step that opens its output again by name', async () => {
    const command =
      'echo one; echo two >/dev/stderr; echo three >/dev/stdout; echo four >>/dev/stderr; echo five';
    expect(await session().output(command)).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  it('brings bytes that are no text', async () => {
    const every = Array.from({ length: 256 }, (_, byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const { bytes } = await session().run(`printf '${every}'; printf '\\342\\202'`);
    expect([...bytes]).toEqual([...Array.from({ length: 256 }, (_, byte) => byte), 0xe2, 0x82]);
  });

  it('brings a character whose bytes come one by one', async () => {
    const { bytes } = await session().run("printf '\\342'; sleep 1; printf '\\202'; printf '\\254\\n'");
    expect(bytes.toString()).toBe('€\n');
  });

  it('brings a megabyte of noise', async () => {
    const { bytes } = await session().run('head -c 1000000 /dev/urandom >/tmp/noise.bin; cat /tmp/noise.bin');
    expect(bytes.length).toBe(1_000_000);
    expect(await session().output('sha256sum /tmp/noise.bin; rm /tmp/noise.bin')).toContain(sha256(bytes));
  });

  it('brings 200,000 lines', async () => {
    const { bytes } = await session().run('seq 1 200000');
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join('');
    expect(bytes.length).toBe(lines.length);
    expect(sha256(bytes)).toBe(sha256(Buffer.from(lines)));
  });

  it('brings a line of 50 MB, and the one after it', async () => {
    const { bytes } = await session().run('head -c 50000000 /dev/zero | tr "\\0" x; echo; echo AFTER');
    expect(bytes.length).toBe(50_000_007);
    expect(bytes.subarray(-8).toString()).toBe('x\nAFTER\n');
    expect(bytes.subarray(0, -7).every((byte) => byte === 0x78)).toBe(true);
  });

  it('holds the step when nobody takes its output', async () => {
    let largest = 0;
    let total = 0;
    const slow = session().sandbox.runStep(
      {
        index: 10_000,
        nonce: 's10w',
        name: 'slow',
        command: 'head -c 3000000 /dev/zero',
        environment: {},
        secrets: {},
        following: 1,
      },
      async (bytes) => {
        largest = Math.max(largest, bytes.length);
        total += bytes.length;
        await new Promise(setImmediate);
      },
      { stop: new AbortController().signal, abandon: new AbortController().signal },
    );
    expect(await slow).toMatchObject({ kind: 'exited', exitCode: 0 });
    expect(total).toBe(3_000_000);
    expect(largest).toBeLessThan(2_000_000);
  });
}
