import { describe } from 'vitest';
import { archivesContract } from './archives.ts';
import { cancellingContract } from './cancelling.ts';
import { able, type Cluster, type Transport } from './cluster.ts';
import { clusterCommandsContract } from './cluster-commands.ts';
import { commandContract } from './command.ts';
import { environmentContract } from './environment.ts';
import type { TestImage } from './images.ts';
import { lifecycleContract } from './lifecycle.ts';
import { describeIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { orphanContract } from './orphan.ts';
import { outputContract } from './output.ts';
import { podEndContract } from './pod-end.ts';
import { podSettingsContract } from './pod-settings.ts';
import { Recorder } from './recorder.ts';
import { refusalsContract } from './refusals.ts';
import { rightsContract } from './rights.ts';
import { secrecyContract } from './secrecy.ts';
import { sharedSession } from './session.ts';
import { stepsContract } from './steps.ts';
import { stoppingContract } from './stopping.ts';

/** What every executor promises of what goes on inside a sandbox, whatever the image. */
export function sandboxContract(cluster: Cluster, transport: Transport, image: TestImage): void {
  const ability = transport === 'kubectl' ? cluster.can.kubectl : able;
  describeIfAble(ability, `${cluster.name}, ${transport}, ${image.name}`, () => {
    describeIfAble(cluster.can.image(image.name), 'a sandbox', () => {
      const session = sharedSession(() =>
        cluster
          .executor({ transport })
          .open(openRequest({ image: image.name }), new Recorder(), AbortSignal.timeout(60_000)),
      );
      describe('steps', () => stepsContract(session, image));
      describe('output', () => outputContract(session));
      describe('environment', () => environmentContract(session));
      describe('stopping', () => stoppingContract(session));
      describe('archives', () => archivesContract(session, image));
    });
  });
}

/** What it promises of the sandbox itself, and of the command that makes one. */
export function placeContract(cluster: Cluster, transport: Transport): void {
  const ability = transport === 'kubectl' ? cluster.can.kubectl : able;
  describeIfAble(ability, `${cluster.name}, ${transport}`, () => {
    describe('lifecycle', () => lifecycleContract(cluster, transport));
    describe('the end of the pod', () => podEndContract(cluster, transport));
    describe('a killed runner', () => orphanContract(cluster, transport));
    describe('another pod than ours', () => podSettingsContract(cluster, transport));
    describe('refusals', () => refusalsContract(cluster, transport));
    describe('rights', () => rightsContract(cluster, transport));
    describe('secrecy', () => secrecyContract(cluster, transport));
    describe('cancelling', () => cancellingContract(cluster, transport));
    describe('command', () => commandContract(cluster, transport));
    describe('cluster commands', () => clusterCommandsContract(cluster, transport));
  });
}
