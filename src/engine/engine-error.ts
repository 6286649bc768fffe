import { type ReasonCode, RunnerError } from '../base/errors.ts';

const shownChars = 1_000;

/** A request that the engine answered with something else than success, in the engine's own words. */
export function refusalError(status: number, text: string, action: string): RunnerError {
  const said = engineWords(text);
  const make = (code: ReasonCode, retry = false): RunnerError =>
    new RunnerError(code, `the engine cannot ${action}: ${said}`, { retry });
  switch (status) {
    case 401:
      return make('Unauthorized');
    case 403:
      return make('Forbidden');
    case 404:
      return make('NotFound');
    case 409:
      return make('Conflict');
    case 429:
    case 503:
      return make('Throttled', true);
    default:
      return make('ApiRefused');
  }
}

/** What an engine says is `{"message": …}`; what stands between may say anything. */
export function engineWords(text: string): string {
  return shown(messageIn(text) ?? text) || 'it gave no reason';
}

function messageIn(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('message' in parsed)) return undefined;
    return typeof parsed.message === 'string' ? parsed.message : undefined;
  } catch {
    return undefined;
  }
}

/** In one line, of a bounded length, without what a terminal would obey. */
export function shown(text: string): string {
  const line = text
    .slice(0, 8 * shownChars)
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return line.length > shownChars ? `${line.slice(0, shownChars)}…` : line;
}
