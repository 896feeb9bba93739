#!/usr/bin/env bash
# Installs the package into the runner's temporary directory, and exports the directory for envtest. The action's first step.
set -euo pipefail

case $PACKAGE in
*.tgz) package=$(realpath "$PACKAGE") ;;
*) # A name would be looked up in a registry, where anybody may have taken it.
  echo "\"$PACKAGE\" is no tarball of the package: make one with \`npm pack\`." >&2
  exit 1
  ;;
esac
directory=$RUNNER_TEMP/edgeplane
mkdir -p "$directory"
npm install --prefix "$directory" --no-save --no-audit --no-fund "$package"
echo "$directory/node_modules/.bin" >>"$GITHUB_PATH"
assets=$("$directory/node_modules/.bin/edgeplane" envtest-assets)
echo "KUBEBUILDER_ASSETS=$assets" >>"$GITHUB_ENV"
echo "assets=$assets" >>"$GITHUB_OUTPUT"
