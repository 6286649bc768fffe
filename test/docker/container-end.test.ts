import { describe, expect, it } from 'vitest';
import { diagnoseEnd } from '../../src/executor/docker/container-end.ts';

const nothing = { signal: undefined, engineWasAway: false };
const exited = { Status: 'exited', Running: false };

describe('why a container ended', () => {
  it.each([
    ['it still runs', { Status: 'running', Running: true }, nothing, undefined],
    ['it has not begun', { Status: 'created', Running: false, ExitCode: 0 }, nothing, undefined],
    ['it is not there', undefined, nothing, 'PodDeleted'],
    ['somebody killed it', { ...exited, ExitCode: 137 }, { ...nothing, signal: '9' }, 'PodDeleted'],
    ['its memory was out', { ...exited, ExitCode: 137, OOMKilled: true }, nothing, 'OOMKilled'],
    [
      'somebody killed it after a process of it had been out of memory',
      { ...exited, ExitCode: 137, OOMKilled: true },
      { ...nothing, signal: '9' },
      'PodDeleted',
    ],
    ['its lease was stale', { ...exited, ExitCode: 75 }, nothing, 'ConnectionLost'],
    [
      'the engine was restarted',
      { ...exited, ExitCode: 137 },
      { signal: '15', engineWasAway: true },
      'NodeLost',
    ],
    ['nobody knows', { ...exited, ExitCode: 0 }, nothing, 'PodFailed'],
  ])('%s', (_what, state, hearsay, code) => {
    expect(diagnoseEnd('NAME', state, hearsay)?.code).toBe(code);
  });
});
