export interface ImageName {
  /** `docker.io`, `registry.example:5000`. */
  readonly registry: string;
  /** As it was written, without tag and digest. */
  readonly name: string;
  /** A digest stands above a tag. */
  readonly tagOrDigest: string;
}

/** Takes an image's name apart as the docker CLI does. */
export function parseImageName(image: string): ImageName {
  const at = image.indexOf('@');
  const rest = at < 0 ? image : image.slice(0, at);
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const name = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? 'latest' : rest.slice(colon + 1);
  return { registry: registryOf(name), name, tagOrDigest: at < 0 ? tag : image.slice(at + 1) };
}

function registryOf(name: string): string {
  const [first = '', ...others] = name.split('/');
  const isHost =
    others.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  return isHost && first !== 'index.docker.io' ? first : 'docker.io';
}
