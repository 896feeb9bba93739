/** Writes the directory that replaces kube-apiserver, etcd and kubectl in envtest (KUBEBUILDER_ASSETS). */
import { createHash } from 'node:crypto'
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
    const texts = {
      'kube-apiserver.help': help(),
      'kube-apiserver': script(
        'kube-apiserver',
        programs,
        cache,
        `--help|-h) exec cat "\${0%/*}/kube-apiserver.help" ;;\n--version) echo '${release}'; exit ;;`,
      ),
      etcd: script('etcd', programs, cache, `--help|-h) echo '  --unsafe-no-fsync'; exit ;;`),
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

/** A script that starts a program in Node, whose compiled code is cached if Node can (22.1 and newer). */
const script = (name: string, programs: string, cache: string, cases: string): string => `#!/bin/sh
# Written by \`edgeplane envtest-assets\`.
case "$1" in
${cases}
esac
[ -n "$EDGEPLANE_WORKERD" ] || EDGEPLANE_WORKERD=${shellText(workerdBinary())}
export EDGEPLANE_WORKERD NODE_COMPILE_CACHE=${shellText(join(cache, 'node'))}
exec ${shellText(process.execPath)} --max-semi-space-size=2 ${shellText(join(programs, `${name}.js`))} "$@"
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
