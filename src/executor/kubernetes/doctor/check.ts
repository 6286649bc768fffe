/** One thing that a run, or a command, counts on. */
export interface Check {
  readonly name: string;
  /** `failed`: something will not work. `warning`: it works, but a person should know. */
  readonly result: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  /** What to do about it: a command or a flag. */
  readonly fix: string | null;
}

export const passed = (name: string, detail: string): Check => ({ name, result: 'ok', detail, fix: null });

export const skipped = (name: string, detail: string): Check => ({
  name,
  result: 'skipped',
  detail,
  fix: null,
});

export const warned = (name: string, detail: string, fix: string | null): Check => ({
  name,
  result: 'warning',
  detail,
  fix,
});

export const failed = (name: string, detail: string, fix: string | null): Check => ({
  name,
  result: 'failed',
  detail,
  fix,
});
