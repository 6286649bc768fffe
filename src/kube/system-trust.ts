import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { Trust } from './cluster-target.ts';

/** Where Go, and so kubectl, looks for the roots of a Linux system. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * What a server is checked against where the kubeconfig names no CA: this machine's roots, as kubectl would, so
 * that a company's own CA is known; Node's where none are found. NODE_EXTRA_CA_CERTS is added to both.
 */
export async function systemTrust(environment: NodeJS.ProcessEnv): Promise<Trust> {
  const listed = environment.SSL_CERT_FILE ? [environment.SSL_CERT_FILE] : bundles;
  const system = await firstReadable(listed);
  const extra = await firstReadable(environment.NODE_EXTRA_CA_CERTS ? [environment.NODE_EXTRA_CA_CERTS] : []);
  const roots = system ? [system.pem] : rootCertificates;
  return {
    verify: true,
    authorities: extra ? [...roots, extra.pem] : roots,
    name: `the trusted roots of this machine (${system?.file ?? 'those of Node'})`,
  };
}

async function firstReadable(files: readonly string[]): Promise<{ file: string; pem: string } | undefined> {
  for (const file of files) {
    try {
      const pem = await readFile(file, 'utf8');
      if (pem.includes('-----BEGIN')) return { file, pem };
    } catch {
      // the next one
    }
  }
  return undefined;
}
