/** Finds installed packages. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * Returns a package as the module `from` would resolve it, by default the repository's root; undefined if it is not installed.
 */
export function installedPackage(name, from = join(root, 'package.json')) {
  return createRequire(from)
    .resolve.paths(name)
    .map((modules) => join(modules, name))
    .map((folder) => ({ name, folder, version: versionOf(folder) }))
    .find(({ version }) => version !== undefined)
}

function versionOf(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}
