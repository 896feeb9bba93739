/** The installed releases of kubectl, and how the tests call them. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { TestServer } from '../server.ts'

/** A release: its name (`kubectl.1.30`) and its path. */
export type Release = readonly [name: string, path: string]

/** Returns kubectl on the PATH, others beside it (`kubectl.1.30`), and those in EDGEPLANE_KUBECTL. */
export function releases(): Release[] {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
  const beside = found.flatMap((path) =>
    readdirSync(dirname(path))
      .filter((name) => /^kubectl\.\d+\.\d+$/.test(name))
      .map((name) => join(dirname(path), name)),
  )
  const named = (process.env.EDGEPLANE_KUBECTL ?? '').split(delimiter).filter((path) => path !== '')
  const paths = [...new Set([...found.slice(0, 1), ...beside, ...named])]
  // Two releases may have the same file name.
  const nameOf = (path: string, index: number): string =>
    paths.findIndex((other) => basename(other) === basename(path)) === index ? basename(path) : `${basename(path)}.${index}`
  return paths.map((path, index) => [nameOf(path, index), path])
}

/** Returns the releases for a test: at most three, the first, one in the middle and the last; with ALL_RELEASES, all. */
export function testedReleases(): Release[] {
  const all = releases()
  if (process.env.ALL_RELEASES !== undefined) return all
  const chosen = [0, Math.floor((all.length - 1) / 2), all.length - 1]
  return all.filter((_, index) => chosen.includes(index))
}

/** The output and exit code of kubectl. */
export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Options of a run of kubectl. */
export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Returns a function that calls a release with a server's kubeconfig; an exit code is a result, not an error. */
export function callerOf(path: string, server: () => TestServer) {
  return (args: readonly string[], { input, env = {} }: RunOptions = {}): Promise<Outcome> =>
    new Promise((done) => {
      const environment = { ...process.env, KUBECONFIG: server().kubeconfig, ...env }
      const child = execFile(path, args, { env: environment, timeout: 30_000 }, (error, stdout, stderr) => {
        done({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr })
      })
      // A program may end without reading it.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
}
