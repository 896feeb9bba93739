#!/bin/sh
# Runs workerd as a child and stays small: a resident Node would cost as much memory as workerd itself. This is the only supervisor:
# Node runs beside workerd only while it has something to do that a shell cannot.
# usage: supervise.sh RUN_DIRECTORY WORKERD TEMPORARY_DIRECTORY SOCKET LOG PROXY DELAY FIGURES NODE SCRIPT OPTIONS...
#   SOCKET   the Unix socket on which workerd listens behind a proxy
#   LOG      the file to which workerd's standard output is appended: the audit log. - leaves the output as it is, + hands it to
#            `NODE SCRIPT audit-log OPTIONS`, which begins new files
#   PROXY    tls: `NODE SCRIPT proxy --proxy tls OPTIONS` listens in front of workerd. none: workerd itself listens
#   DELAY    the seconds for which workerd goes on after SIGTERM; the Worker sees process/stopping meanwhile
#   FIGURES  figures: the kernel's figures of workerd are copied to process/stat. -: they are not
# SIGTERM, SIGINT, SIGHUP: stop, exit code 0. SIGUSR1: renew the certificate if it is due. SIGUSR2: too many connections are open,
# and a TCP proxy is put in front of workerd, or a process beside workerd has ended. A workerd that ends by itself is started again;
# exit code 1 if it cannot run.
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

# Checks every few seconds the number of connections and the processes beside workerd, and wakes supervisor $1 when one of them needs
# it or a renewal is due.
tick() {
  trap 'kill "$sleeper"; exit' TERM
  trap '' INT HUP
  seconds=0
  while :; do
    # Each check is a fork for the sleep: they are rare until there have been many connections. A client that is faster than that
    # ends workerd, which the supervisor sees too.
    has_descriptors $((most_used / 8)) && pause=1 || pause=5
    [ "$figures" = - ] || copy_figures
    sleep "$pause" &
    sleeper=$!
    wait "$sleeper"
    seconds=$((seconds + pause))
    if has_ended proxy || has_ended audit-log || { [ ! -e "$run/proxy.pid" ] && is_crowded; }; then kill -USR2 "$1"; fi
    [ "$seconds" -lt "$renew_interval" ] || { seconds=0 && kill -USR1 "$1"; }
  done
}

# Whether the process whose id is in the file $1.pid has ended.
has_ended() {
  [ -e "$run/$1.pid" ] && read -r other <"$run/$1.pid" && ! kill -0 "$other" 2>/dev/null
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

# Whether four fifths of the descriptors are used. Counting takes time: the size of the kernel's table is read first.
is_crowded() {
  has_descriptors "$most_used" || return 1
  set -- "/proc/$pid/fd"/*
  [ $# -ge "$most_used" ]
}

# Copies the kernel's figures of workerd for the Worker, which cannot read /proc. Only built-in commands: no fork.
copy_figures() {
  [ -r "/proc/$pid/stat" ] && read -r line <"/proc/$pid/stat" && echo "$line" >"$run/process/stat"
}

# Waits until the supervisor is gone, which only a SIGKILL brings about without this process being ended first.
guard() {
  trap '' INT HUP
  read -r _ <&8
  kill -KILL "$1" $3
  kill -TERM "$2"
  [ -z "$4" ] || rm -rf "$4" || { sleep 1 && rm -rf "$4"; }
}

# Opens the pipe $1 at both ends: a child starts with descriptor 6 as its end, and this process closes that then. Opening one end alone
# would wait for the other, and a child that is killed at once would never open its own.
open_report() {
  exec 6<>"$1"
  exec 5<"$1"
}

# Waits until the child reports that it listens. A child that ends before closes the pipe.
read_report() {
  read -r _ <&5
  reported=$?
  exec 5<&-
  return "$reported"
}

# Removes the files "$@" that exist. Starting another program takes milliseconds, and there usually is none.
remove() {
  for file in "$@"; do
    [ ! -e "$file" ] || rm -f "$file"
  done
}

# Makes the named pipes "$@", which only this user can open.
make_pipes() {
  remove "$@"
  mkfifo -m 600 "$@" || fail "The data directory cannot hold a named pipe ($*)."
}

start_workerd() {
  # The socket of an earlier workerd is in the way of the next one.
  remove "$socket"
  open_report "$run/control"
  "$workerd" serve --binary "$run/workerd.bin" --control-fd=3 3>&6 >&7 5<&- 6>&- 7>&- 9>&- </dev/null &
  workerd_pid=$!
  exec 6>&-
  echo "$workerd_pid" >"$run/workerd.pid"
  start_guard
  started=$(date +%s)
  read_report
}

start_guard() {
  # exec closes the guard's own copy of the writing end for good; a redirection of the call would keep a copy.
  (exec 8<"$run/life" 5<&- 7>&- 9>&- </dev/null >/dev/null 2>&1 && guard "$workerd_pid" "$ticker_pid" "$proxy_pid" "$temporary") &
  guard_pid=$!
}

end_guard() {
  # A fork that has not reset its traps yet loses every other signal.
  [ -z "$guard_pid" ] || kill -KILL "$guard_pid" 2>/dev/null
  wait "$guard_pid" 2>/dev/null
}

end_workerd() {
  end_guard
  kill -TERM "$workerd_pid" 2>/dev/null
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && after "$grace" kill -KILL "$workerd_pid") &
  killer=$!
  wait "$workerd_pid" 2>/dev/null
  kill "$killer" 2>/dev/null
  wait "$killer" 2>/dev/null
}

# Starts the proxy of the kind that $proxy names.
start_proxy() {
  make_pipes "$run/proxy-control"
  # With a small young generation a TLS proxy stays small after a burst of requests. A TCP proxy has many connections to hold.
  [ "$proxy" = tls ] && memory=--max-semi-space-size=2 || memory=
  open_report "$run/proxy-control"
  "$node" $memory "$script" proxy --proxy "$proxy" "$@" 3>&6 5<&- 6>&- 7>&- 9>&- </dev/null &
  proxy_pid=$!
  exec 6>&-
  echo "$proxy_pid" >"$run/proxy.pid"
  # If it cannot listen, it has said why.
  read_report
}

end_proxy() {
  [ -n "$proxy_pid" ] || return 0
  rm -f "$run/proxy.pid"
  kill -KILL "$proxy_pid" 2>/dev/null
  wait "$proxy_pid" 2>/dev/null
  proxy_pid=
}

# Opens descriptor 7, to which workerd writes the audit log.
open_log() {
  case $log in
  -) exec 7>&1 ;;
  +)
    make_pipes "$run/audit-log"
    exec 6<>"$run/audit-log" 7>"$run/audit-log"
    "$node" "$script" audit-log "$@" <"$run/audit-log" 6>&- 7>&- 9>&- &
    log_pid=$!
    exec 6>&-
    echo "$log_pid" >"$run/audit-log.pid"
    ;;
  *) exec 7>>"$log" ;;
  esac
}

clean_up() {
  end_proxy
  end_guard
  kill "$ticker_pid" 2>/dev/null
  wait "$ticker_pid" 2>/dev/null
  exec 7>&-
  # What workerd has written last is still on its way to the file.
  [ -z "$log_pid" ] || wait "$log_pid" 2>/dev/null
  set --
  for file in control proxy-control life ready audit-log audit-log.pid workerd.pid identity-header process lock; do
    set -- "$@" "$run/$file"
  done
  # The next start may be the same: then it takes workerd's configuration.
  [ -e "$run/start.json" ] || set -- "$@" "$run/workerd.bin"
  rm -rf "$@" "$socket" ${temporary:+"$temporary"}
}

stop() {
  trap '' TERM INT HUP USR1 USR2
  [ "$delay" = 0 ] || { : >"$run/process/stopping" && sleep "$delay"; }
  end_proxy
  end_workerd
  clean_up
  exit 0
}

renew() {
  "$node" "$script" renew --proxy "$proxy" "$@" 7>&- 9>&- </dev/null || return 0
  end_workerd
  start_workerd || fail 'workerd did not start again after the renewal of the certificate.'
  [ "$proxy" != tls ] || kill -HUP "$proxy_pid"
}

fail() {
  echo "edgeplane: $1" >&2
  clean_up
  exit 1
}

# Starts workerd again that has ended with status $1.
again() {
  status=$1
  shift
  end_guard
  [ $(($(date +%s) - started)) -lt "$long_run" ] || left=$pauses
  [ -n "$left" ] || fail "workerd ended unexpectedly (exit status $status), again and again."
  echo "edgeplane: workerd ended unexpectedly (exit status $status): it is started again." >&2
  # workerd ends with this status if it has no descriptor left for a connection.
  if [ "$status" = 1 ] && [ "$proxy" = none ]; then
    limit_connections "$@"
  else
    sleep "${left%% *}"
    case $left in *' '*) left=${left#* } ;; *) left= ;; esac
    start_workerd
  fi
}

# Puts a TCP proxy in front of workerd.
limit_connections() {
  echo 'edgeplane: more connections are open than this server can hold: idle ones are closed from now on.' >&2
  kill -KILL "$workerd_pid" 2>/dev/null
  wait "$workerd_pid" 2>/dev/null
  end_guard
  # It listens before workerd does: clients wait, and are not refused.
  proxy=tcp
  start_proxy "$@" || fail 'The TCP proxy did not start.'
  start_workerd
}

# Handles SIGUSR2.
check() {
  if has_ended audit-log; then
    fail_running 'The process that writes the audit log ended unexpectedly.'
  elif [ "$proxy" = none ]; then
    # A signal may come twice.
    ! is_crowded || limit_connections "$@"
  elif has_ended proxy; then
    wait "$proxy_pid"
    status=$?
    [ "$proxy" = tcp ] && [ "$status" = 0 ] || fail_running "The $proxy proxy ended unexpectedly (exit status $status)."
    # Few connections were open for long enough: it has configured workerd to listen itself.
    rm -f "$run/proxy.pid"
    proxy=none proxy_pid=
    end_workerd
    start_workerd
  fi
}

fail_running() {
  end_workerd
  fail "$1"
}

# Lets workerd have as many descriptors as it can use, and computes how many are too many.
raise_limit() {
  limit=$(ulimit -Hn)
  case $limit in *[!0-9]*) limit=$most_descriptors ;; esac
  [ "$limit" -le "$most_descriptors" ] || limit=$most_descriptors
  ulimit -Sn "$limit"
  most_used=$((limit / 5 * 4))
}

supervise() {
  run=$1 workerd=$2 temporary=$3 socket=$4 log=$5 proxy=$6 delay=$7 figures=$8
  shift 8
  node=$1 script=$2
  shift 2
  [ "$delay" = 0 ] || rm -f "$run/process/stopping"
  proxy_pid='' log_pid='' guard_pid='' ticker_pid=''
  make_pipes "$run/life" "$run/control"
  exec 9<>"$run/life"
  raise_limit
  open_log "$@"
  left=$pauses
  remove "$run/proxy.pid"
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && tick $$) &
  ticker_pid=$!
  if ! start_workerd; then
    wait "$workerd_pid" 2>/dev/null
    fail "workerd ended unexpectedly (exit status $?)."
  fi
  if [ "$proxy" != none ]; then
    if ! start_proxy "$@"; then
      end_workerd
      clean_up
      exit 1
    fi
    end_guard
    start_guard
  fi
  trap stop TERM INT HUP
  trap 'renew "$@"' USR1
  trap 'check "$@"' USR2
  cat "$run/ready" && rm -f "$run/ready"
  while :; do
    wait "$workerd_pid" 2>/dev/null
    status=$?
    # A signal ends the wait too.
    kill -0 "$workerd_pid" 2>/dev/null || again "$status" "$@"
  done
}

supervise "$@"
exit
