#!/usr/bin/env node
// Stands for kubectl in front of a local pod: notes each call, and answers as a cluster in which nothing goes wrong.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.FAKE_KUBECTL_FOLDER;
const podRoot = process.env.FAKE_POD_ROOT;
const argv = process.argv.slice(2);
appendFileSync(join(folder, 'calls'), `${JSON.stringify(argv)}\n`);

const jobFile = join(folder, 'job');
const goneFile = join(folder, 'gone');
const heardFile = join(folder, 'heard');
const jobHeardFile = join(folder, 'job-heard');
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const input = () => JSON.parse(readFileSync(0, 'utf8'));
const job = () => JSON.parse(readFileSync(jobFile, 'utf8'));

/** Resolves when the file is there. */
function appeared(file) {
  return new Promise((resolve) => {
    const watcher = watch(folder, look);
    function look() {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    }
    look();
  });
}

const pod = (state) => ({
  metadata: { name: 'the-pod', uid: 'pod-uid', ownerReferences: [{ kind: 'Job', uid: 'job-uid' }] },
  spec: { nodeName: 'the-node' },
  status: { containerStatuses: [{ name: 'run', state }] },
});

async function raw(verb, uri) {
  const { pathname, searchParams } = new URL(uri, 'https://cluster');
  const kind = /\/(\w+)(?:\/[^/]+)?$/.exec(pathname.replace(/.*\/namespaces\/[^/]+/, ''))?.[1];
  if (searchParams.get('watch')) {
    if (kind === 'events') {
      const isOfPod = searchParams.get('fieldSelector').includes('kind=Pod');
      writeFileSync(isOfPod ? heardFile : jobHeardFile, '');
      return appeared(goneFile);
    }
    await appeared(jobFile);
    if (kind === 'jobs') {
      print({ type: 'ADDED', object: job() });
      return appeared(join(folder, 'never'));
    }
    print({ type: 'ADDED', object: pod({ waiting: { reason: 'ContainerCreating' } }) });
    await appeared(heardFile); // or those watches may be over before they have noted their calls
    await appeared(jobHeardFile);
    print({ type: 'MODIFIED', object: pod({ running: {} }) });
    await appeared(goneFile);
    print({ type: 'DELETED', object: pod({ running: {} }) });
    return appeared(join(folder, 'never'));
  }
  if (pathname === '/version') return print({ major: '1', minor: '36' });
  if (pathname.endsWith('selfsubjectrulesreviews')) {
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    return print({ status: { resourceRules: [all] } });
  }
  if (verb === 'create') {
    const made = input();
    made.metadata.uid = kind === 'jobs' ? 'job-uid' : 'policy-uid';
    if (kind === 'jobs') {
      writeFileSync(`${jobFile}.part`, JSON.stringify(made)); // never seen half written
      renameSync(`${jobFile}.part`, jobFile);
    }
    return print(made);
  }
  if (verb === 'delete') {
    if (kind === 'jobs') writeFileSync(goneFile, '');
    return print({});
  }
  return print(kind === 'jobs' ? job() : { items: existsSync(goneFile) ? [] : [pod({ running: {} })] });
}

const rawAt = argv.indexOf('--raw');
if (rawAt >= 0) await raw(argv[rawAt - 1], argv[rawAt + 1]);
else if (argv.includes('exec')) {
  const [, program] = argv.slice(argv.indexOf('--') + 1);
  const child = spawn(join(podRoot, 'bin/sh'), [join(podRoot, program)], {
    stdio: 'inherit',
    env: { PATH: join(podRoot, 'bin') },
  });
  child.on('exit', (code) => {
    if (code) process.stderr.write(`command terminated with exit code ${code}\n`);
    process.exitCode = code ?? 1;
  });
}
