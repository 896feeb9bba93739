/** `edgeplane diff`: the differences of two moments, as `kubectl diff` prints them, and as manifests. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { renderYaml } from '../../yaml/write.ts'
import { LauncherError } from '../launcher-error.ts'
import { cleaned, type Manifest, nameOf, namespaceOf } from '../transfer/manifest.ts'
import { type Change, described } from './changes.ts'

/** Returns the file name of an object, in the way of kubectl diff: `apps.v1.Deployment.default.web`. */
const fileOf = (object: Manifest): string =>
  [...object.apiVersion.split('/'), object.kind, namespaceOf(object), nameOf(object)].map(encodeURIComponent).join('.')

/** Returns the data of a Secret without its values, which tells only whether they differ, as kubectl diff does. */
function masked(object: Manifest, other: Manifest | undefined, suffix: string): Manifest {
  const { data } = object
  if (object.kind !== 'Secret' || !isObject(data ?? null)) return object
  const others = isObject(other?.data ?? null) ? (other?.data as JsonObject) : {}
  const hidden = Object.entries(data as JsonObject).map(([key, value]) => {
    const isSame = others[key] === undefined || others[key] === value
    return [key, isSame ? '***' : `*** (${suffix})`]
  })
  return { ...object, data: Object.fromEntries(hidden) }
}

/** Writes the objects into a folder, one file each. */
function write(folder: string, objects: readonly (Manifest | undefined)[]): void {
  mkdirSync(folder)
  for (const object of objects) {
    if (object !== undefined) writeFileSync(join(folder, fileOf(object)), renderYaml(cleaned(object)), { mode: 0o600 })
  }
}

/**
 * Prints the changes with the program of kubectl diff: KUBECTL_EXTERNAL_DIFF, or else `diff -u -N`.
 * @returns its exit code: 0 without changes, 1 with some
 * @throws LauncherError if it cannot be run
 */
export function printDiff(changes: readonly Change[], print: (text: string) => void): number {
  const [program = 'diff', ...args] = (process.env.KUBECTL_EXTERNAL_DIFF ?? 'diff -u -N').split(' ')
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-diff-'))
  try {
    write(
      join(folder, 'BEFORE'),
      changes.map(({ before, after }) => before && masked(before, after, 'before')),
    )
    write(
      join(folder, 'AFTER'),
      changes.map(({ before, after }) => after && masked(after, before, 'after')),
    )
    const { status, stdout, stderr, error } = spawnSync(program, [...args, 'BEFORE', 'AFTER'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    })
    if (error !== undefined || status === null || status > 1) {
      throw new LauncherError(`${program} cannot be run: ${error?.message ?? stderr.trim()}`)
    }
    print(stdout)
    return status
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Prints the later objects as manifests, and the deleted ones as comments. @returns 1 if there are changes */
export function printManifests(changes: readonly Change[], print: (text: string) => void): number {
  for (const { before, after } of changes) {
    print(after === undefined ? `# deleted: ${described(before)}\n` : `---\n${renderYaml(cleaned(after))}`)
  }
  return changes.length === 0 ? 0 : 1
}
