import { describe } from 'vitest';
import { adoptContract } from './adopt.ts';
import { archivesContract } from './archives.ts';
import { cancellingContract } from './cancelling.ts';
import type { Cluster } from './cluster.ts';
import { clusterAttachingContract } from './cluster-attaching.ts';
import { clusterCommandsContract } from './cluster-commands.ts';
import { clusterLifecycleContract } from './cluster-lifecycle.ts';
import { clusterRefusalsContract } from './cluster-refusals.ts';
import { clusterVenue } from './cluster-venue.ts';
import { commandContract } from './command.ts';
import { environmentContract } from './environment.ts';
import type { TestImage } from './images.ts';
import { lifecycleContract } from './lifecycle.ts';
import { describeIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { orphanContract } from './orphan.ts';
import { outputContract } from './output.ts';
import { placeEndContract } from './place-end.ts';
import { podEndContract } from './pod-end.ts';
import { podSettingsContract } from './pod-settings.ts';
import { Recorder } from './recorder.ts';
import { refusalsContract } from './refusals.ts';
import { resumeContract } from './resume.ts';
import { rightsContract } from './rights.ts';
import { scopeContract } from './scope.ts';
import { secrecyContract } from './secrecy.ts';
import { sharedSession } from './session.ts';
import { stepsContract } from './steps.ts';
import { stoppingContract } from './stopping.ts';
import { userContract } from './user.ts';
import type { Transport, Venue } from './venue.ts';

/** What every executor promises of what goes on inside a sandbox, whatever the image. */
export function sandboxContract(venue: Venue, image: TestImage): void {
  describeIfAble(venue.usable, `${venue.name}, ${image.name}`, () => {
    describeIfAble(venue.can.image(image.name), 'a sandbox', () => {
      const session = sharedSession(() =>
        venue
          .executor()
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

/** What every executor promises of the place itself, and of the command that makes one. */
export function placeContract(venue: Venue): void {
  describeIfAble(venue.usable, venue.name, () => {
    describe('lifecycle', () => lifecycleContract(venue));
    describe('the end of the place', () => placeEndContract(venue));
    describe('a killed runner', () => orphanContract(venue));
    describe('a place that was left', () => adoptContract(venue));
    describe('a user', () => userContract(venue));
    describe('images', () => refusalsContract(venue));
    describe('secrecy', () => secrecyContract(venue));
    describe('cancelling', () => cancellingContract(venue));
    describe('command', () => commandContract(venue));
    describe('--resume', () => resumeContract(venue));
  });
}

/** What only a cluster has, on top of what holds everywhere. */
export function clusterContract(cluster: Cluster, transport: Transport): void {
  const venue = clusterVenue(cluster, transport);
  describeIfAble(venue.usable, venue.name, () => {
    describe('objects', () => clusterLifecycleContract(cluster, transport));
    describe('the end of the pod', () => podEndContract(cluster, transport));
    describe('another pod than ours', () => podSettingsContract(cluster, transport));
    describeIfAble(cluster.can.admission, 'rules', () => clusterRefusalsContract(cluster, transport));
    describe('rights', () => rightsContract(cluster, transport));
    describe('attaching', () => clusterAttachingContract(cluster, transport));
    describe('cluster commands', () => clusterCommandsContract(cluster, transport));
    describe('a scoped kubeconfig', () => scopeContract(cluster, transport));
  });
}
