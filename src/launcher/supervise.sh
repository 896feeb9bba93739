#!/bin/sh
# Runs workerd as a child and stays small. This is the only supervisor: Node runs beside workerd only for work that a shell cannot do.
# usage: supervise.sh RUN_DIRECTORY WORKERD TEMPORARY_DIRECTORY SOCKET LOG PROXY DELAY FIGURES NODE SCRIPT OPTIONS...
#   SOCKET   the Unix socket on which workerd listens
#   LOG      the file to which workerd's standard output is appended: the audit log. - leaves the output as it is, + hands it to
#            `NODE SCRIPT audit-log OPTIONS`, which begins new files
#   PROXY    what listens in front of workerd. tcp: front.cjs beside this script; tls: `NODE SCRIPT proxy OPTIONS`
#   DELAY    the seconds for which workerd goes on after SIGTERM; the Worker sees process/stopping meanwhile
#   FIGURES  figures: the kernel's figures of workerd are copied to process/stat. -: they are not
# SIGTERM, SIGINT, SIGHUP: stop, exit code 0. SIGUSR1: renew the certificate if it is due. SIGUSR2: a process beside workerd has ended.
# A workerd or a proxy that ends by itself is started again, for no other reason; exit code 1 if it cannot run.
# The whole program is in functions, because sh reads a script while it runs it and an update may replace the file.

# Seconds that workerd gets to end its requests; an open watch would keep it alive for ever.
grace=1
renew_interval=43200
# Each tick is a fork.
tick_interval=5
# Seconds before each restart in a row, of workerd or the proxy; after such a long run a new row begins.
pauses='0 0 1 1 2'
long_run=10
# More descriptors than this are of no use: the memory for so many connections is not there. open-connections.ts counts on it.
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

# Looks after the processes beside workerd, and wakes supervisor $1 when one of them needs it or a renewal is due.
tick() {
  trap 'kill "$sleeper"; exit' TERM
  trap '' INT HUP
  seconds=0
  while :; do
    [ "$figures" = - ] || copy_figures
    sleep "$tick_interval" &
    sleeper=$!
    wait "$sleeper"
    seconds=$((seconds + tick_interval))
    ! has_ended audit-log || kill -USR2 "$1"
    [ "$seconds" -lt "$renew_interval" ] || { seconds=0 && kill -USR1 "$1"; }
  done
}

# Whether the process whose id is in the file $1.pid has ended.
has_ended() {
  [ -e "$run/$1.pid" ] && read -r other <"$run/$1.pid" && ! kill -0 "$other" 2>/dev/null
}

# Copies the kernel's figures of workerd for the Worker, which cannot read /proc. Only built-in commands: no fork.
copy_figures() {
  read -r pid <"$run/workerd.pid" && [ -r "/proc/$pid/stat" ] && read -r line <"/proc/$pid/stat" && echo "$line" >"$run/process/stat"
}

# Waits until the supervisor is gone, which only a SIGKILL brings about without this process being ended first.
guard() {
  trap '' INT HUP
  read -r _ <&8
  kill -KILL "$1" $3
  kill -TERM "$2"
  [ -z "$4" ] || rm -rf "$4" || { sleep 1 && rm -rf "$4"; }
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

# A child reports on its descriptor 3 that it listens, and its end closes that pipe. It inherits the end for writing: opening one end
# alone waits for the other, and a child that is killed at once would never open its own.
start_workerd() {
  # The socket of an earlier workerd is in the way of the next one.
  remove "$socket"
  exec 6<>"$run/control"
  exec 5<"$run/control"
  "$workerd" serve --binary "$run/workerd.bin" --control-fd=3 3>&6 >&7 4<&- 5<&- 6>&- 7>&- 9>&- </dev/null &
  workerd_pid=$!
  exec 6>&-
  echo "$workerd_pid" >"$run/workerd.pid"
  start_guard
  started=$(date +%s)
  # It ends without a word if it cannot start.
  read -r _ <&5
  reported=$?
  exec 5<&-
  return "$reported"
}

start_guard() {
  # exec closes the guard's own copy of the writing end for good; a redirection of the call would keep a copy.
  (exec 8<"$run/life" 4<&- 5<&- 7>&- 9>&- </dev/null >/dev/null 2>&1 && guard "$workerd_pid" "$ticker_pid" "$proxy_pid" "$temporary") &
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
  (exec 4<&- 7>&- 9>&- </dev/null >/dev/null 2>&1 && after "$grace" kill -KILL "$workerd_pid") &
  killer=$!
  wait "$workerd_pid" 2>/dev/null
  kill "$killer" 2>/dev/null
  wait "$killer" 2>/dev/null
}

# Starts the proxy. It accepts connections while workerd is still starting.
start_proxy() {
  make_pipes "$run/proxy-control"
  exec 6<>"$run/proxy-control"
  exec 4<"$run/proxy-control"
  # With a small young generation it stays small after a burst of requests.
  if [ "$proxy" = tls ]; then
    "$node" --max-semi-space-size=2 "$script" proxy "$@" 3>&6 4<&- 6>&- 7>&- 9>&- </dev/null &
  else
    "$node" --max-semi-space-size=2 "${0%/*}/front.cjs" "$@" 3>&6 4<&- 6>&- 7>&- 9>&- </dev/null &
  fi
  proxy_pid=$!
  exec 6>&-
  echo "$proxy_pid" >"$run/proxy.pid"
}

# Waits until the proxy listens, and has its end reported then. If it cannot listen, it has said why.
await_proxy() {
  read -r _ <&4 || return 1
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && watch_proxy) &
  watcher_pid=$!
  exec 4<&-
}

watch_proxy() {
  trap '' INT HUP TERM
  read -r _ <&4
  rm -f "$run/proxy.pid"
  kill -USR2 $$
}

end_proxy() {
  # Its end is not to be reported.
  [ -z "$watcher_pid" ] || kill -KILL "$watcher_pid" 2>/dev/null
  wait "$watcher_pid" 2>/dev/null
  kill -KILL "$proxy_pid" 2>/dev/null
  wait "$proxy_pid" 2>/dev/null
  proxy_pid='' watcher_pid=''
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
  for file in control proxy-control proxy.pid header-lines.sock life ready audit-log audit-log.pid workerd.pid identity-header process lock; do
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

# Says that $1 has ended with status $2, and waits before it is started again.
pause() {
  [ $(($(date +%s) - started)) -lt "$long_run" ] || left=$pauses
  [ -n "$left" ] || fail_running "$1 ended unexpectedly (exit status $2), again and again."
  echo "edgeplane: $1 ended unexpectedly (exit status $2): it is started again." >&2
  sleep "${left%% *}"
  case $left in *' '*) left=${left#* } ;; *) left= ;; esac
}

# Starts workerd again that has ended with status $1.
again() {
  end_guard
  pause workerd "$1"
  start_workerd
}

# Handles SIGUSR2. A signal may come twice.
check() {
  ! has_ended audit-log || fail_running 'The process that writes the audit log ended unexpectedly.'
  [ -e "$run/proxy.pid" ] || start_proxy_again "$@"
}

# Starts the proxy again that has ended, until it listens.
start_proxy_again() {
  while
    wait "$proxy_pid" 2>/dev/null
    pause 'The proxy' "$?"
    started=$(date +%s)
    start_proxy "$@"
    ! await_proxy
  do :; done
  end_guard
  start_guard
}

fail_running() {
  end_workerd
  fail "$1"
}

# Lets workerd and the proxy have as many descriptors as they can use.
raise_limit() {
  limit=$(ulimit -Hn)
  case $limit in *[!0-9]*) limit=$most_descriptors ;; esac
  [ "$limit" -le "$most_descriptors" ] || limit=$most_descriptors
  ulimit -Sn "$limit"
}

supervise() {
  run=$1 workerd=$2 temporary=$3 socket=$4 log=$5 proxy=$6 delay=$7 figures=$8
  shift 8
  node=$1 script=$2
  shift 2
  [ "$delay" = 0 ] || rm -f "$run/process/stopping"
  proxy_pid='' watcher_pid='' log_pid='' guard_pid='' ticker_pid=''
  make_pipes "$run/life" "$run/control"
  exec 9<>"$run/life"
  raise_limit
  open_log "$@"
  left=$pauses
  (exec 7>&- 9>&- </dev/null >/dev/null 2>&1 && tick $$) &
  ticker_pid=$!
  start_proxy "$@"
  if ! start_workerd; then
    wait "$workerd_pid" 2>/dev/null
    fail "workerd ended unexpectedly (exit status $?)."
  fi
  if ! await_proxy; then
    end_workerd
    clean_up
    exit 1
  fi
  trap stop TERM INT HUP
  trap 'renew "$@"' USR1
  trap 'check "$@"' USR2
  cat "$run/ready" && rm -f "$run/ready"
  while :; do
    wait "$workerd_pid" 2>/dev/null
    status=$?
    # A signal ends the wait too.
    kill -0 "$workerd_pid" 2>/dev/null || again "$status"
  done
}

supervise "$@"
exit
