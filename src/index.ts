/** The library: what another program needs to run workflows, on Kubernetes or on an executor of its own. */

export type { Clock } from './base/clock.ts';
export { systemClock } from './base/clock.ts';
export type { ReasonCode, RunnerErrorOptions } from './base/errors.ts';
export { RunnerError, reasonCodes } from './base/errors.ts';
export type { ExecExit, ExecSession } from './base/exec-session.ts';
// Where it runs: the contract
export type {
  Closed,
  ContainerPlace,
  Executor,
  FetchOutcome,
  IncomingArchive,
  KubernetesPlace,
  LastEntry,
  Observer,
  OpenRequest,
  OutgoingArchive,
  Place,
  RunIdentity,
  RunLimits,
  Sandbox,
  StepControl,
  StepOutput,
  StepRequest,
  StepUsage,
  StepVerdict,
  TransferObserver,
  Waiting,
} from './executor/executor.ts';
export type { KubectlOptions } from './executor/kubernetes/kubectl/kubectl-api.ts';
export { connectByKubectl } from './executor/kubernetes/kubectl/kubectl-api.ts';
export type { KubernetesExecutorOptions } from './executor/kubernetes/kubernetes-executor.ts';
// Kubernetes as that place
export { createKubernetesExecutor } from './executor/kubernetes/kubernetes-executor.ts';
export type { PodSettings, Toleration } from './executor/kubernetes/pod-settings.ts';
export { defaultPodSettings } from './executor/kubernetes/pod-settings.ts';
export type { Compression } from './executor/step-protocol/packing.ts';
export type { ClusterConnection, ClusterConnectionOptions } from './kube/connect-to-cluster.ts';
export { connectToCluster } from './kube/connect-to-cluster.ts';
export type { CredentialExpiry } from './kube/credentials/credential.ts';
export type { ApiCall, ExecCall, KubeApi, WatchCall, WatchEvent } from './kube/kube-api.ts';
export type { RetryOptions } from './kube/retries.ts';
export { withRetries } from './kube/retries.ts';
export type { CancelCause } from './run/cancel-source.ts';
export { CancelSource } from './run/cancel-source.ts';
export type { Destination } from './run/destination.ts';
export type { Phase, RunEvent } from './run/event-schema.ts';
export { eventSchema } from './run/event-schema.ts';
export { exitCodeOf, exitCodeOfError } from './run/exit-code.ts';
export type { FileJournalOptions } from './run/journal/file-journal.ts';
export { fileJournal } from './run/journal/file-journal.ts';
export type { HeldJournal, Journal } from './run/journal/journal.ts';
export type { ProcessMark } from './run/journal/journal-lock.ts';
export { markOfProcess } from './run/journal/journal-lock.ts';
export type { JournalRecord } from './run/journal/journal-record.ts';
export type { Reason, RunResult, RunStatus, StepResult } from './run/result-schema.ts';
export { resultSchema } from './run/result-schema.ts';
export type { CheckoutRequest, OutputsRequest, RunRequest, TimeLimits } from './run/run-request.ts';
// A run
export { runWorkflow } from './run/run-workflow.ts';
// What is run
export { parseStepsTsv } from './workflow/steps-tsv.ts';
export type { Resources, Step, Workflow } from './workflow/workflow.ts';
export { parseWorkflowYaml } from './workflow/workflow-yaml.ts';
