import { closeSync, openSync, readSync } from 'node:fs'
import { dataDirectoryAt, readIfPresent, writePrivateFile } from './data-directory.ts'
import { errorCode, LauncherError, reasonOf } from './launcher-error.ts'

/** The facts that a client needs to reach the server. */
export interface Access {
  /** Such as `https://127.0.0.1:6443`. */
  readonly server: string
  /** PEM; undefined for an issuer that clients trust anyway. */
  readonly authority: string | undefined
  readonly token: string
}

const mark = '# Written by edgeplane; every start writes it anew.'

/** Writes the kubeconfig's text: one cluster, one user and one context, all named "edgeplane". */
function kubeconfigText(access: Access): string {
  const authority =
    access.authority === undefined ? '' : `\n    certificate-authority-data: ${Buffer.from(access.authority).toString('base64')}`
  return `${mark}
apiVersion: v1
kind: Config
clusters:
- name: edgeplane
  cluster:
    server: ${JSON.stringify(access.server)}${authority}
users:
- name: edgeplane
  user:
    token: ${JSON.stringify(access.token)}
contexts:
- name: edgeplane
  context:
    cluster: edgeplane
    user: edgeplane
current-context: edgeplane
`
}

/**
 * Writes the kubeconfig, readable by its owner only.
 * @throws LauncherError if it cannot be written, or if edgeplane has not written the file that is there
 */
export function writeKubeconfig(path: string, access: Access): void {
  const start = firstBytes(path)
  if (start.trim() !== '' && !start.startsWith(mark)) {
    throw new LauncherError(`The file ${path} exists and is not edgeplane's: name another one with --kubeconfig.`)
  }
  writePrivateFile(path, kubeconfigText(access))
}

function firstBytes(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(mark.length)
      return buffer.toString('utf8', 0, readSync(file, buffer))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw new LauncherError(`The kubeconfig ${path} cannot be written: ${reasonOf(error)}.`)
  }
}

/** Gives the kubeconfig of a data directory. @throws LauncherError if the file is missing */
export function readKubeconfig(dataDirectory = ''): string {
  const text = readIfPresent(dataDirectoryAt(dataDirectory).kubeconfig)
  if (text !== undefined) return text
  throw new LauncherError(
    `There is no kubeconfig in ${dataDirectory}: \`edgeplane start --data-dir ${dataDirectory}\` writes one.`,
  )
}
