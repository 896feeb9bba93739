#!/bin/sh
# Runs workerd as a child and stays small: a resident Node would cost as much memory as workerd itself.
# usage: supervise.sh RUN_DIRECTORY WORKERD TEMPORARY_DIRECTORY LOG RENEW_COMMAND...
# What workerd writes to its standard output is appended to LOG, the audit log; - leaves it where it is.
# SIGTERM, SIGINT, SIGHUP: stop, exit code 0. SIGUSR1: renew the certificate if it is due. SIGUSR2: too many connections are open,
# and Node takes this process over, with a gate in front of workerd. Where workerd ends by itself it is started again; exit code 1
# where it cannot run.
# The whole program is in functions, because sh reads a script while it runs it and an update may replace the file.

# Seconds that workerd gets to end its requests; an open watch would keep it alive for ever.
grace=1
renew_interval=43200
# Seconds before each restart in a row of a workerd that has ended by itself; one that ran longer than that begins a new row.
pauses='0 0 1 1 2'
long_run=10
# More descriptors than this are of no use: the memory for so many connections is not there.
most_descriptors=65536

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

# Looks every few seconds whether workerd has more connections than it can hold, and wakes the supervisor when a renewal is due.
tick() {
  trap 'kill "$sleeper"; exit' TERM
  trap '' INT HUP
  seconds=0
  while :; do
    # Each look is a fork for the sleep: they are rare until there have been many connections. Who is faster than that ends workerd,
    # which is noticed too.
    has_descriptors $((most_used / 8)) && pause=1 || pause=5
    sleep "$pause" &
    sleeper=$!
    wait "$sleeper"
    seconds=$((seconds + pause))
    ! is_crowded || kill -USR2 "$1"
    [ "$seconds" -lt "$renew_interval" ] || { seconds=0 && kill -USR1 "$1"; }
  done
}

# Whether workerd has ever had about $1 descriptors, by the size of the kernel's table of them; sets pid.
has_descriptors() {
  pid=
  read -r pid <"$run/workerd.pid" || return 1
  [ -r "/proc/$pid/status" ] || return 1
  value=0
  while read -r name value; do
    [ "$name" != FDSize: ] || break
  done <"/proc/$pid/status"
  [ "$value" -ge "$1" ]
}

# Whether four fifths of the descriptors are used. Counting takes time: the size of the kernel's table is looked at first.
is_crowded() {
  has_descriptors "$most_used" || return 1
  set -- "/proc/$pid/fd"/*
  [ $# -ge "$most_used" ]
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
  started=$(date +%s)
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
  rm -f "$run/control" "$run/life" "$run/ready" "$run/workerd.capnp" "$run/workerd.pid" "$run/lock"
  rm -rf "$run/worker"
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

# Starts workerd again that has ended with status $1.
again() {
  kill "$guard_pid" 2>/dev/null
  wait "$guard_pid" 2>/dev/null
  [ $(($(date +%s) - started)) -lt "$long_run" ] || left=$pauses
  [ -n "$left" ] || fail "workerd ended unexpectedly (exit status $1), again and again."
  echo "edgeplane: workerd ended unexpectedly (exit status $1): it is started again." >&2
  status=$1
  shift
  # So it ends where it had no descriptor left for a connection.
  [ "$status" != 1 ] || protect "$@"
  sleep "${left%% *}"
  case $left in *' '*) left=${left#* } ;; *) left= ;; esac
  start_workerd
}

protect() {
  echo 'edgeplane: more connections are open than this server can hold: those that say nothing are ended from now on.' >&2
  trap - TERM INT HUP USR1 USR2
  kill -KILL "$workerd_pid" 2>/dev/null
  kill "$ticker_pid" "$guard_pid" 2>/dev/null
  wait
  rm -f "$run/control" "$run/life"
  node=$1 script=$2
  shift 3
  [ -z "$temporary" ] || set -- "$@" --ephemeral
  exec "$node" "$script" protect "$@" 7>&- 9>&-
}

# Lets workerd have as many descriptors as it can use, and tells how many are too many.
raise_limit() {
  limit=$(ulimit -Hn)
  case $limit in *[!0-9]*) limit=$most_descriptors ;; esac
  [ "$limit" -le "$most_descriptors" ] || limit=$most_descriptors
  ulimit -Sn "$limit"
  most_used=$((limit / 5 * 4))
}

supervise() {
  run=$1 workerd=$2 temporary=$3 log=$4
  shift 4
  if [ "$log" = - ]; then exec 7>&1; else exec 7>>"$log"; fi
  rm -f "$run/life"
  mkfifo -m 600 "$run/life" || fail "The data directory cannot hold a named pipe ($run/life)."
  exec 9<>"$run/life"
  raise_limit
  left=$pauses
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && tick $$) &
  ticker_pid=$!
  if start_workerd; then
    trap stop TERM INT HUP
    trap 'renew "$@"' USR1
    trap 'protect "$@"' USR2
    # A server that a gate has protected for a while has said already that it is ready.
    [ ! -e "$run/ready" ] || { cat "$run/ready" && rm -f "$run/ready"; }
  else
    wait "$workerd_pid" 2>/dev/null
    fail "workerd ended unexpectedly (exit status $?)."
  fi
  while :; do
    wait "$workerd_pid" 2>/dev/null
    status=$?
    # A signal ends the wait too.
    kill -0 "$workerd_pid" 2>/dev/null || again "$status" "$@"
  done
}

supervise "$@"
exit
