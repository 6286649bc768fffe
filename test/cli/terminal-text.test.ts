import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { CarriedColour } from '../../src/cli/terminal/carried-colour.ts';
import { closingLines } from '../../src/cli/terminal/closing-lines.ts';
import { LiveScreen } from '../../src/cli/terminal/live-screen.ts';
import { LogLines } from '../../src/cli/terminal/log-lines.ts';
import { formatProgress, formatStatus, nextStatus } from '../../src/cli/terminal/run-status.ts';
import { SafeText, safeLine } from '../../src/cli/terminal/safe-text.ts';
import { fitText, textWidth } from '../../src/cli/terminal/text-width.ts';
import { formatBytes, formatDuration, formatElapsed } from '../../src/cli/terminal/units.ts';
import type { RunResult, StepResult } from '../../src/run/result-schema.ts';

const plain = picocolors.createColors(false);
const esc = '\u001b';

function shown(chunks: readonly string[], colours = true): string {
  const safe = new SafeText({ colours });
  return chunks.map((chunk) => safe.push(chunk)).join('') + safe.end();
}

describe('what a pod prints', () => {
  it.each([
    ['text passes', 'a\tb\r\nä 日本 👍\n', 'a\tb\r\nä 日本 👍\n'],
    ['colours pass', `${esc}[1;31mred${esc}[0m`, `${esc}[1;31mred${esc}[0m`],
    ['colours with colons pass', `${esc}[38:2::1:2:3mx`, `${esc}[38:2::1:2:3mx`],
    ['cursor movements are left out', `a${esc}[2J${esc}[1;1Hb${esc}[3Ac`, 'abc'],
    ['private modes are left out', `${esc}[?1049hx${esc}[?25l`, 'x'],
    ['a sequence that ends like a colour and is none', `${esc}[>4;1mx${esc}[?5m`, 'x'],
    ['titles are left out', `${esc}]0;title\u0007x${esc}]2;y${esc}\\z`, 'xz'],
    ['links are left out, their text stays', `${esc}]8;;http://x${esc}\\text${esc}]8;;${esc}\\`, 'text'],
    ['device control is left out', `${esc}P+q544e${esc}\\x`, 'x'],
    ['questions to the terminal are left out', `${esc}[6n${esc}[c${esc}Zx`, 'x'],
    ['short escapes are left out', `${esc}cx${esc}(0y${esc}7`, 'xy'],
    ['8-bit controls are shown', '\u009b2Jx\u009d0;t\u009c', '\ufffd2Jx\ufffd0;t\ufffd'],
    ['control characters are shown', 'a\u0007b\u0008\u0000\u007f', 'a␇b␈␀␡'],
    ['a string without an end does not swallow the next line', `${esc}]0;never\nnext\n`, '␛]0;never\nnext\n'],
    ['an escape at the end is shown', `x${esc}`, 'x␛'],
  ])('%s', (_, text, expected) => {
    expect(shown([text])).toBe(expected);
    // and the same when every character comes alone
    expect(shown([...text])).toBe(expected);
  });

  it('has no colours where colours are off', () => {
    expect(shown([`${esc}[31mred${esc}[0m`], false)).toBe('red');
  });

  it('never leaves an escape other than a colour, whatever comes', () => {
    const alphabet = [esc, '[', ']', ';', '0', 'm', 'J', '\\', '\u0007', '\n', 'P', '?', ' ', 'x', '\u009b'];
    let seed = 7;
    const next = (): number => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed;
    };
    for (let round = 0; round < 2000; round += 1) {
      const chunks = Array.from({ length: 12 }, () =>
        Array.from({ length: next() % 4 }, () => alphabet[next() % alphabet.length]).join(''),
      );
      expect(shown(chunks).replace(/\u001b\[[0-9;:]*m/g, '')).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
      );
    }
  });

  it('is one line where it stands in a line of ours', () => {
    expect(safeLine(`0/3 nodes${esc}[31m are\r\n  available\u0007 `)).toBe('0/3 nodes are available␇');
  });

  it('keeps its colour over our lines, and ours are not coloured by it', () => {
    const colour = new CarriedColour();
    expect(colour.wrap(`${esc}[31mred\n`)).toBe(`${esc}[31mred\n${esc}[0m`);
    expect(colour.wrap('still red\n')).toBe(`${esc}[31mstill red\n${esc}[0m`);
    expect(colour.wrap(`${esc}[0mplain\n`)).toBe(`${esc}[31m${esc}[0mplain\n${esc}[0m`);
    expect(colour.wrap('plain\n')).toBe('plain\n');
  });
});

describe('lines of a log', () => {
  it('are given when they are whole', () => {
    const log = new LogLines();
    expect(log.push('one\ntw')).toBe('one\n');
    expect(log.open).toBe('tw');
    expect(log.push('o\r\nthree')).toBe('two\n');
    expect(log.end()).toBe('three\n');
    expect(log.end()).toBe('');
  });

  it('know a line end that is cut', () => {
    const log = new LogLines();
    expect(log.push('one\r') + log.push('\ntwo\n')).toBe('one\ntwo\n');
  });

  it('keep the last drawing of a progress bar, and do not grow with it', () => {
    const log = new LogLines();
    let whole = '';
    for (let i = 0; i <= 200_000; i += 1) whole += log.push(`\r${i} %`);
    expect(whole).toBe('');
    expect(log.open.length).toBeLessThan(20);
    expect(log.push('\n')).toBe('200000 %\n');
  });

  it('are broken when they are very long', () => {
    const log = new LogLines();
    let text = '';
    for (let i = 0; i < 1000; i += 1) text += log.push('x'.repeat(1000));
    text += log.end();
    expect(text.replaceAll('\n', '')).toBe('x'.repeat(1_000_000));
    expect(log.open).toBe('');
  });
});

describe('the live lines', () => {
  it('are replaced in one write', () => {
    const screen = new LiveScreen();
    expect(screen.draw('', ['a', 'b'], 80)).toBe('a\r\nb');
    expect(screen.draw('log\n', ['c'], 80)).toBe(`\r${esc}[K${esc}[1A${esc}[Klog\nc`);
    expect(screen.draw('', [], 80)).toBe(`\r${esc}[K`);
    expect(screen.draw('end\n', [], 80)).toBe('end\n');
  });

  it('never wrap', () => {
    expect(new LiveScreen().draw('', ['x'.repeat(100)], 10)).toBe(`${'x'.repeat(8)}…`);
  });
});

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['äöü', 3],
    ['e\u0301', 1],
    ['日本', 4],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['✓', 1],
    ['\u200b', 0],
  ])('of %s', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('are kept when a text is cut', () => {
    expect(fitText('short', 5)).toBe('short');
    expect(fitText('longer', 5)).toBe('long…');
    expect(fitText('日本語', 5)).toBe('日本…');
    expect(fitText('日本語', 4)).toBe('日…');
    expect(textWidth(fitText('x'.repeat(1_000_000), 20))).toBe(20);
  });
});

describe('amounts', () => {
  it('of bytes and time', () => {
    expect([0, 999, 1000, 3_400_000, 99_949_999, 150_000_000, 1e12].map(formatBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '3.4 MB',
      '100 MB',
      '150 MB',
      '1.0 TB',
    ]);
    expect([0, 340, 9949, 9950, 59_600, 187_000, 7_500_000].map(formatDuration)).toEqual([
      '0.0 s',
      '0.3 s',
      '9.9 s',
      '10 s',
      '1 min 0 s',
      '3 min 7 s',
      '2 h 5 min',
    ]);
    expect(formatElapsed(1999)).toBe('1 s');
    expect(formatProgress(3_400_000, 10_000_000, 2000)).toBe('3.4 MB of 10.0 MB, 1.7 MB/s');
    expect(formatProgress(512, null, 10)).toBe('512 B');
  });
});

describe('the status line', () => {
  const time = '2026-01-01T00:00:00.000Z';
  it('says what is waited for and for how long, from the start of the wait', () => {
    let status = nextStatus({ kind: 'between', since: 0 }, { time, type: 'phase', phase: 'wait' }, 1000);
    expect(formatStatus(status, 3500, 2)).toBe('waiting to start, 2 s');
    status = nextStatus(
      status,
      { time, type: 'waiting', reason: 'Unschedulable', message: '0/1 nodes\nare available', since: time },
      9000,
    );
    expect(formatStatus(status, 71_000, 2)).toBe(
      'waiting to start, 1 min 10 s: Unschedulable: 0/1 nodes are available',
    );
  });

  it('says what is sent, and which step runs', () => {
    let status = nextStatus({ kind: 'between', since: 0 }, { time, type: 'phase', phase: 'upload' }, 0);
    status = nextStatus(
      status,
      { time, type: 'transfer', direction: 'upload', bytes: 5e6, total: 1e7 },
      1000,
    );
    expect(formatStatus(status, 1000, 2)).toBe('sending the checkout, 1 s: 5.0 MB of 10.0 MB, 5.0 MB/s');
    status = nextStatus(status, { time, type: 'step-started', step: 'build', index: 1 }, 2000);
    expect(formatStatus(status, 14_000, 3)).toBe('step 2 of 3, 12 s: build');
    status = nextStatus(status, { time, type: 'phase', phase: 'cleanup' }, 20_000);
    expect(formatStatus(status, 21_000, 3)).toBe('cleaning up, 1 s');
  });
});

describe('the end of a run', () => {
  const step = (name: string, more: Partial<StepResult>): StepResult => ({
    name,
    status: 'success',
    exitCode: 0,
    signal: null,
    reason: null,
    continueOnError: false,
    startedAt: null,
    durationMs: 1200,
    log: null,
    cpuMs: null,
    peakMemoryBytes: null,
    ...more,
  });
  const result: RunResult = {
    schemaVersion: 1,
    run: { id: 'x', name: 'demo', runner: null, image: 'busybox' },
    status: 'failed',
    reason: { code: 'StepFailed', message: `the step "test" ended\u001b[2J with exit code 2` },
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:00:09.000Z',
    durationMs: 9000,
    steps: [
      step('build', {}),
      step('日本', {
        status: 'failed',
        exitCode: 2,
        reason: { code: 'StepFailed', message: 'x' },
        durationMs: 61_000,
      }),
      step('lint', {
        status: 'failed',
        exitCode: 137,
        reason: { code: 'OOMKilled', message: 'x' },
        continueOnError: true,
      }),
      step('deploy', { status: 'skipped', exitCode: null, durationMs: null }),
    ],
    job: null,
    container: null,
    timings: { waitMs: 1000, uploadMs: 100, stepsMs: 7000, downloadMs: 400, cleanupMs: 500 },
    outputs: { files: 1, bytes: 1234, complete: false },
    warnings: [],
  };

  it('is a table of the steps, the reason, and where to look', () => {
    const places = { outputs: 'out', log: 'run.log', result: undefined };
    expect(closingLines(result, places, plain).join('\n')).toBe(`
  ✓ build   success                                            1.2 s
  ✗ 日本    failed, exit code 2                            1 min 1 s
  ✗ lint    failed, exit code 137, OOMKilled, run went on      1.2 s
  - deploy  skipped
failed in 9.0 s (wait 1.0 s, upload 0.1 s, steps 7.0 s, download 0.4 s, cleanup 0.5 s)
  StepFailed: the step "test" ended with exit code 2
  outputs  out (1 file, 1.2 kB, incomplete)
  log      run.log`);
  });
});
