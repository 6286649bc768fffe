const reference =
  /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[a-f0-9]{32,})?$/;

/** What the kubelet says of a name that no image could have; undefined when it could. */
export const imageNameFault = (image: string): string | undefined =>
  reference.test(image)
    ? undefined
    : `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
