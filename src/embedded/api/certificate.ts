/** The server's identity, in PEM; the authority's key is thrown away once the certificate is signed. */
export interface ServerCertificate {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 86_400_000;

/** Makes an authority and a certificate for 127.0.0.1 and localhost, good for 30 days from `now`. */
export async function createServerCertificate(now: Date): Promise<ServerCertificate> {
  await import('reflect-metadata'); // the next one needs it there first
  const x509 = await import('@peculiar/x509');
  const { webcrypto } = await import('node:crypto');
  const usages = ['sign', 'verify'] as const;
  const [authorityKeys, serverKeys] = await Promise.all([
    webcrypto.subtle.generateKey(algorithm, true, usages),
    webcrypto.subtle.generateKey(algorithm, true, usages),
  ]);
  const validity = { notBefore: new Date(now.getTime() - day), notAfter: new Date(now.getTime() + 30 * day) };
  const authority = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=embedded-cluster-ca',
      keys: authorityKeys,
      signingAlgorithm: algorithm,
      ...validity,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    },
    webcrypto,
  );
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject: 'CN=embedded-cluster',
      issuer: authority.subject,
      publicKey: serverKeys.publicKey,
      signingKey: authorityKeys.privateKey,
      signingAlgorithm: algorithm,
      ...validity,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          { type: 'ip', value: '127.0.0.1' },
          { type: 'dns', value: 'localhost' },
        ]),
      ],
    },
    webcrypto,
  );
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  return {
    authority: authority.toString('pem'),
    certificate: certificate.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  };
}
