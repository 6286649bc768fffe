#!/usr/bin/env bash
# Installs the Debian packages that CI needs and that are not there yet.
set -euo pipefail
wanted=(busybox-static chromium containerd containernetworking-plugins debootstrap docker.io gcc git iproute2
  libc6-dev libseccomp-dev openssl pkg-config podman procps runc shellcheck util-linux)
missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}"
