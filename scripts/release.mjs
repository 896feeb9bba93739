// Writes src/config/release.ts: a hash of the sources. Durable Objects store values that are derived from objects; a release with
// other sources derives them again. Used by scripts/openapi.mjs; it writes only if something has changed.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src')
const target = join(source, 'config', 'release.ts')
/** The rooms that do not run in Durable Objects. */
const apart = ['console', 'launcher'].map((room) => room + sep)
const characters = 16

const isCounted = (file) =>
  file.endsWith('.ts') &&
  !/\.(test|fixture)\.ts$/.test(file) &&
  !apart.some((room) => file.startsWith(room)) &&
  join(source, file) !== target

/** Makes sure that the file is present and matches the sources. */
export function generate() {
  const hash = createHash('sha256')
  for (const file of readdirSync(source, { recursive: true }).filter(isCounted).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(source, file)))
  }
  const text = `// Written by scripts/release.mjs.\nexport const release = '${hash.digest('hex').slice(0, characters)}'\n`
  if (textOf(target) === text) return
  const temporary = `${target}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, target)
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
