/** Writes the directory that replaces kube-apiserver, etcd and kubectl in envtest (KUBEBUILDER_ASSETS). */
import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode, LauncherError, reasonOf } from '../launcher-error.ts'
import { workerdBinary } from '../workerd-binary.ts'
import { flagsHelp, flagTypes } from './flags.ts'
import { kubeApiserverFlags } from './kube-apiserver-flags.ts'

/** The release whose API is served, as kube-apiserver prints it. */
const release = 'Kubernetes v1.36.3'

/**
 * Makes the directory, or completes the one that is there; gives its path, which is the same for the same installation.
 * @param directory undefined for one in the user's cache
 * @throws LauncherError if it cannot be written
 */
export function makeAssets(directory: string | undefined): string {
  const cache = cacheDirectory()
  const programs = join(dirname(fileURLToPath(import.meta.url)))
  const identity = [programs, process.execPath, workerdBinary()].join('\n')
  const target = directory ?? join(cache, 'envtest', createHash('sha256').update(identity).digest('hex').slice(0, 16))
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 })
    // Others cannot guess the name: they must not call, and they must not answer.
    const setting = settingText(programs, cache, randomBytes(16).toString('hex'))
    const texts = {
      'kube-apiserver.help': help(),
      'kube-apiserver': kubeApiserverScript(setting),
      etcd: etcdScript(setting),
    }
    for (const [name, text] of Object.entries(texts))
      replace(join(target, name), (path) => writeFileSync(path, text, { mode: 0o755 }))
    replace(join(target, 'kubectl'), (path) => makeKubectl(path, target))
    return target
  } catch (error) {
    throw new LauncherError(`The directory ${target} cannot be written: ${reasonOf(error)}.`)
  }
}

const cacheDirectory = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'edgeplane')

/** Another test may be starting a program of the directory at the same time. */
function replace(path: string, write: (temporary: string) => void): void {
  const folder = mkdtempSync(join(dirname(path), '.new-'))
  try {
    const temporary = join(folder, 'file')
    write(temporary)
    renameSync(temporary, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** envtest asks for the help of both programs before each start: it comes without Node. */
const help = (): string => `The Kubernetes API server of edgeplane, in place of kube-apiserver.

Usage:
  kube-apiserver [flags]

Flags:

${flagsHelp(flagTypes(kubeApiserverFlags))}`

const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The beginning of a script, after the cases of its first argument; Node's compiled code is cached if Node can (22.1 and newer). */
const settingText = (programs: string, cache: string, calls: string): string => `
[ -n "$EDGEPLANE_WORKERD" ] || EDGEPLANE_WORKERD=${shellText(workerdBinary())}
EDGEPLANE_ENVTEST_CALLS="\${TMPDIR:-/tmp}/edgeplane-${calls}"
export EDGEPLANE_WORKERD EDGEPLANE_ENVTEST_CALLS NODE_COMPILE_CACHE=${shellText(join(cache, 'node'))}
program() {
  exec ${shellText(process.execPath)} --max-semi-space-size=2 ${shellText(join(programs, 'envtest.cjs'))} "$@"
}
`

const etcdScript = (setting: string): string => `#!/bin/sh
# Written by \`edgeplane envtest-assets\`.
case "$1" in
--help|-h) echo '  --unsafe-no-fsync'; exit ;;
esac
${setting}
program etcd "$@"
`

/** The server is a part of the process of etcd, if that is ours: see calls.ts. */
const kubeApiserverScript = (setting: string): string => `#!/bin/sh
# Written by \`edgeplane envtest-assets\`.
case "$1" in
--help|-h) exec cat "\${0%/*}/kube-apiserver.help" ;;
--version) echo '${release}'; exit ;;
esac
${setting}
etcd=
for flag; do
  case $flag in
  --etcd-servers=http://*)
    etcd=\${flag#*://}
    etcd=\${etcd%%,*}
    etcd=\${etcd##*:}
    ;;
  --audit-log-path=-) program kube-apiserver "$@" ;;
  esac
done
calls=$EDGEPLANE_ENVTEST_CALLS/\${etcd%%[!0-9]*}
call=$calls/$$
{ read -r process <"$calls/pid" && kill -0 "$process" && mkfifo -m 600 "$call.life" "$call.out"; } 2>/dev/null ||
  program kube-apiserver "$@"
exec 9<>"$call.life"
trap 'interrupted=1; exec 9>&-' TERM INT HUP
printf '%s\\0' "$PWD" "$EDGEPLANE_CONTROLLERS" "$@" . >"$call.call"
exec 7<"$call.out"
code=
while [ -z "$code" ]; do
  interrupted=
  if read -r kind text <&7; then
    case $kind in
    err) printf '%s\\n' "$text" >&2 ;;
    exit) code=$text ;;
    esac
  elif [ -z "$interrupted" ]; then
    code=1
  fi
done
exit "$code"
`

/** Links the kubectl of the PATH. envtest itself does not call it; a test that does gets the reason if it is missing. */
function makeKubectl(path: string, target: string): void {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '' && directory !== target)
    .map((directory) => join(directory, 'kubectl'))
    .find(isExecutable)
  if (found !== undefined) symlinkSync(realpathSync(found), path)
  else writeFileSync(path, missingKubectl, { mode: 0o755 })
}

const missingKubectl = `#!/bin/sh
echo 'edgeplane contains no kubectl: install it, and run \`edgeplane envtest-assets\` again.' >&2
exit 1
`

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
