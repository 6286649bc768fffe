import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Session } from './session.ts';

/** What a step finds in its environment, and where its secrets are not. */
export function environmentContract(session: () => Session): void {
  it.each([
    ['newlines', 'one\ntwo\n\n'],
    ['quotes', `it's "quoted" \`so\` and ''`],
    ['what a shell would expand', '$HOME $(id) $x \\ \\n * ~ ! # ; & |'],
    ['UTF-8', 'grüße 👋 日本語 e\u0301'],
    ['control characters', 'a\tb\r\x1b[0m\x01'],
    ['nothing', ''],
    ['100 kB', 'x'.repeat(100_000)],
  ])('holds a value with %s exactly', async (_, value) => {
    expect(await session().output('printf "%s|" "$VALUE"', { environment: { VALUE: value } })).toBe(
      `${value}|`,
    );
  });

  it('holds a secret in the step that was given it, and in no other', async () => {
    const read = 'printf "%s|" "$TOKEN"';
    expect(await session().output(read, { secrets: { TOKEN: "s3cr'et\nline" } })).toBe("s3cr'et\nline|");
    expect(await session().output(read)).toBe('|');
  });

  it('shows a secret in no command line, in the pod or here, and keeps it in no file', async () => {
    const secret = `not-to-be-seen-${randomUUID()}`;
    let here: readonly string[] | undefined;
    const look = [
      'echo started',
      'printf "%s" "$TOKEN" >/tmp/pattern', // a word of the shell's own: no command line
      'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -cF -f /tmp/pattern || :',
      'rm /tmp/pattern',
    ];
    const { text, verdict } = await session().run(look.join('\n'), {
      secrets: { TOKEN: secret },
      onOutput: async () => {
        here ??= await commandLinesWith(secret);
      },
    });
    expect(verdict).toMatchObject({ exitCode: 0 });
    expect(text).toBe('started\n0\n');
    expect(here).toEqual([]);
    // The step that looks has the text in its own script, in memory.
    const places = '/work /steps /outputs /tmp /.knotless*';
    const files = `find ${places} -type f -exec grep -lF ${secret} {} + 2>/dev/null || :`;
    const found = (await session().output(files)).split('\n').filter((name) => name !== '');
    expect(found.filter((name) => !name.endsWith('.script'))).toEqual([]);
    expect(found.length).toBeLessThan(2);
  });

  it('knows of no token and no services of the cluster', async () => {
    const look =
      'ls /var/run/secrets/kubernetes.io 2>/dev/null || echo no token; env | grep -c "_PORT_" || :';
    expect(await session().output(look)).toMatch(/^no token\n/);
  });
}

/** The command lines on this machine, other than the pods', that hold `text`. */
async function commandLinesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.includes(text)) found.push(line);
  }
  return found;
}
