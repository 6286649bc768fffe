import type { PackedTree } from '../archive/pack-trees.ts';
import { asRunnerError, RunnerError } from '../base/errors.ts';
import type { OutgoingArchive } from '../executor/executor.ts';
import { type ByteSink, type Destination, openDestination } from './destination.ts';
import { EndSwitch } from './end-switch.ts';
import { EventWriter } from './event-writer.ts';
import type { RunJournal } from './journal/run-journal.ts';
import { LogWriter } from './log-writer.ts';
import { SecretMask } from './masking/secret-mask.ts';
import { PhaseClock } from './phase-clock.ts';
import { listUpload, packUpload } from './phases/upload.ts';
import { type ReopenedLog, reopenEvents, reopenLog } from './reopen-files.ts';
import { Reporter } from './reporter.ts';
import { prepareResult, type ResultWriter } from './result-file.ts';
import type { RunRequest } from './run-request.ts';
import type { WaitingRun } from './run-states.ts';
import { endingOf } from './status.ts';

/**
 * How long the run waits for the list of what is to be sent before it asks for a place: what is wrong with a
 * checkout of usual size is found before anything is made, and a huge one does not hold up the node.
 */
const listingHeadStartMs = 2_000;

export interface PreparedRun {
  readonly waiting: WaitingRun;
  readonly log: LogWriter | undefined;
  readonly events: EventWriter;
  readonly writeResult: ResultWriter | undefined;
}

/** Does all that can be done before anything is made. Rejects with BadInput. */
export async function prepareRun(request: RunRequest, journal: RunJournal): Promise<PreparedRun> {
  const { clock, cancel } = request;
  const { record, isResumed } = journal;
  const halt = new EndSwitch();
  halt.endWhen(cancel.inOrder, () => endingOf(asRunnerError(cancel.inOrder.reason)));
  const listing = journal.hasReached('loaded') ? Promise.resolve(null) : listUpload(request, halt.signal);
  listing.catch(() => {}); // heard again by the run
  await withHeadStart(request, listing);
  const writeResult = request.result && (await prepareResult(request.result));
  const sinks = await openBoth(request, journal);

  const mask = new SecretMask(request.secrets);
  const failed = (error: RunnerError): void => halt.end(endingOf(error));
  const events = new EventWriter(clock, sinks.events, request.onEvent, failed);
  const log = sinks.log && new LogWriter(sinks.log.sink, sinks.log);
  const { warnings } = record;
  const reporter = new Reporter({ mask, log, events, warnings, onTrace: request.onTrace, failed });
  for (const warning of [...mask.warnings, ...(journal.trouble === null ? [] : [journal.trouble])]) {
    reporter.warn(warning);
  }
  const archive = archiveOf(listing, reporter);
  archive.catch((error) => halt.end(endingOf(asRunnerError(error))));
  const phases = new PhaseClock(clock, isResumed ? record : undefined);
  const context = { request, identity: journal.identity, reporter, phases, journal, halt };
  return { waiting: { state: 'waiting', context, archive }, log, events, writeResult };
}

/** Rejects with what is wrong, if that is known in time. A cancel is for the run to see. */
async function withHeadStart({ clock, cancel }: RunRequest, listing: Promise<unknown>): Promise<void> {
  const listed = new AbortController();
  try {
    await Promise.race([listing, clock.sleep(listingHeadStartMs, listed.signal)]);
  } catch (error) {
    if (!cancel.inOrder.aborted) {
      throw error;
    }
  } finally {
    listed.abort();
  }
}

async function archiveOf(
  listing: Promise<readonly PackedTree[] | null>,
  reporter: Reporter,
): Promise<OutgoingArchive | null> {
  try {
    const trees = await listing;
    return trees && packUpload(trees, reporter);
  } catch (error) {
    const { code, message } = asRunnerError(error);
    // By now the place may have been made, so it is bad input found too late.
    throw new RunnerError(code === 'BadInput' ? 'UploadFailed' : code, message, { cause: error });
  }
}

async function openBoth(
  { log, events }: RunRequest,
  { isResumed, record }: RunJournal,
): Promise<{ readonly log: ReopenedLog | undefined; readonly events: ByteSink | undefined }> {
  const openedLog = log && (await (isResumed ? reopenLog(log, record.logBytes) : openLog(log)));
  try {
    const openEvents = isResumed ? reopenEvents : openDestination;
    return { log: openedLog, events: events && (await openEvents(events)) };
  } catch (error) {
    await openedLog?.sink.close().catch(() => {});
    throw error;
  }
}

const openLog = async (log: Destination): Promise<ReopenedLog> => ({
  sink: await openDestination(log),
  written: 0,
  lastByte: undefined,
});
