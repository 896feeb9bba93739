#!/bin/sh
# Runs workerd as a child and stays small: a resident Node would cost as much memory as workerd itself.
# usage: supervise.sh RUN_DIRECTORY WORKERD TEMPORARY_DIRECTORY LOG RENEW_COMMAND...
# What workerd writes to its standard output is appended to LOG, the audit log; - leaves it where it is.
# SIGTERM, SIGINT, SIGHUP: stop, exit code 0. SIGUSR1: renew the certificate if it is due. workerd's own end: exit code 1.
# The whole program is in functions, because sh reads a script while it runs it and an update may replace the file.

# Seconds that workerd gets to end its requests; an open watch would keep it alive for ever.
grace=1
renew_interval=43200

# Runs "$@" after $1 seconds, unless it is sent SIGTERM before.
after() {
  delay=$1
  shift
  trap 'kill "$sleeper"; wait "$sleeper"' TERM
  trap '' INT HUP
  sleep "$delay" &
  sleeper=$!
  wait "$sleeper" && "$@"
}

tick() {
  while after "$renew_interval" kill -USR1 "$1"; do :; done
}

# Waits until the supervisor is gone, which only a SIGKILL brings about without this process being ended first.
guard() {
  trap '' INT HUP
  read -r _ <&8
  kill -KILL "$1"
  kill -TERM "$2"
  [ -z "$3" ] || rm -rf "$3" || { sleep 1 && rm -rf "$3"; }
}

start_workerd() {
  rm -f "$run/control"
  mkfifo -m 600 "$run/control" || fail "The data directory cannot hold a named pipe ($run/control)."
  "$workerd" serve "$run/workerd.capnp" --control-fd=3 3>"$run/control" >&7 7>&- 9>&- </dev/null &
  workerd_pid=$!
  echo "$workerd_pid" >"$run/workerd.pid"
  # exec closes the guard's own copy of the writing end for good; a redirection of the call would keep a copy.
  (exec 8<"$run/life" 7>&- 9>&- </dev/null >/dev/null 2>&1 && guard "$workerd_pid" "$ticker_pid" "$temporary") &
  guard_pid=$!
  # workerd reports here once its port is open; it ends without a word where it cannot start.
  read -r _ <"$run/control"
}

end_workerd() {
  kill "$guard_pid"
  kill -TERM "$workerd_pid" 2>/dev/null
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && after "$grace" kill -KILL "$workerd_pid") &
  killer=$!
  wait "$workerd_pid" 2>/dev/null
  kill "$killer" 2>/dev/null
  wait "$killer" 2>/dev/null
}

clean_up() {
  kill "$ticker_pid" "$guard_pid" 2>/dev/null
  wait "$ticker_pid" "$guard_pid" 2>/dev/null
  rm -f "$run/control" "$run/life" "$run/ready" "$run/worker.js" "$run/workerd.capnp" "$run/workerd.pid" "$run/lock"
  [ -z "$temporary" ] || rm -rf "$temporary"
}

stop() {
  trap '' TERM INT HUP USR1
  end_workerd
  clean_up
  exit 0
}

renew() {
  "$@" 7>&- 9>&- </dev/null || return 0
  end_workerd
  start_workerd || fail 'workerd did not start again after the renewal of the certificate.'
}

fail() {
  echo "edgeplane: $1" >&2
  clean_up
  exit 1
}

supervise() {
  run=$1 workerd=$2 temporary=$3 log=$4
  shift 4
  if [ "$log" = - ]; then exec 7>&1; else exec 7>>"$log"; fi
  rm -f "$run/life"
  mkfifo -m 600 "$run/life" || fail "The data directory cannot hold a named pipe ($run/life)."
  exec 9<>"$run/life"
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && tick $$) &
  ticker_pid=$!
  if start_workerd; then
    trap stop TERM INT HUP
    trap 'renew "$@"' USR1
    cat "$run/ready"
  fi
  while :; do
    wait "$workerd_pid" 2>/dev/null
    status=$?
    # A signal ends the wait too.
    kill -0 "$workerd_pid" 2>/dev/null || fail "workerd ended unexpectedly (exit status $status)."
  done
}

supervise "$@"
exit
