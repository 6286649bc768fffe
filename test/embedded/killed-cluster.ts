import { systemClock } from '../../src/base/clock.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { clientsOf, jobManifest, jobs, keepAlive, podOfJob } from './fixture.ts';

// A process of its own for ending.test.ts: a cluster with a pod, that waits to be killed.
const [folder = '', mark = ''] = process.argv.slice(2);
const cluster = await startEmbeddedCluster({ folder, clock: systemClock() });
const it = await clientsOf(cluster, folder);
await it.call('POST', jobs, jobManifest('one', { command: ['sh', '-c', `${keepAlive} # ${mark}`] }));
await podOfJob(it, 'one');
// Once this file has ended, the bundle that it runs from is removed.
setTimeout(() => console.log('ready'), 100);
