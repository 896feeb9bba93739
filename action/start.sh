#!/usr/bin/env bash
# Starts a server without data on a free port, waits until it is ready, and exports its kubeconfig. The action's second step.
set -euo pipefail

directory=$RUNNER_TEMP/edgeplane
log=$directory/server.log
kubeconfig=$directory/kubeconfig
: >"$log"
# The words of the options are separated as the shell does it: they come from the workflow's own author.
eval "set -- $OPTIONS"
nohup "$directory/node_modules/.bin/edgeplane" start --ephemeral --port 0 --kubeconfig "$kubeconfig" "$@" >"$log" 2>&1 </dev/null &
server=$!
echo "$server" >"$directory/server.pid"
until grep -q 'is ready' "$log"; do
  kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
  sleep 0.05
done
echo "KUBECONFIG=$kubeconfig" >>"$GITHUB_ENV"
echo "kubeconfig=$kubeconfig" >>"$GITHUB_OUTPUT"
