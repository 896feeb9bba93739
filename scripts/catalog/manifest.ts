/** The manifest of the tables' texts: the hashes of their sources and of the texts. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTexts } from '../tables.mjs'

const manifestFile = join(import.meta.dirname, 'manifest.json')

/** The contents of the manifest. Hashes are the first characters of SHA-256 in hexadecimal. */
export interface Manifest {
  /** The generator's own sources, by path in scripts/catalog. */
  readonly sources: Readonly<Record<string, string>>
  /** The texts, by name. */
  readonly texts: Readonly<Record<string, string>>
}

/** Files of this folder that do not influence the texts. */
const NOT_SOURCES: ReadonlySet<string> = new Set([
  ...['check.ts', 'manifest.ts', 'record-resources.ts', 'record-facts.ts', 'bootstrap-facts.ts', 'priority-facts.ts'],
  ...['record-releases.ts', 'release-fields.ts', 'release-sources.ts'],
])

/** The number of characters of a hash: enough against mistakes. */
const characters = 12

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, characters)
}

/** Returns the hashes of the generator's sources. */
function sourceHashes(): Record<string, string> {
  const own = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const extract = readdirSync(join(import.meta.dirname, 'extract')).map((name) => `extract/${name}`)
  const names = [...own.filter((name) => !NOT_SOURCES.has(name)), ...extract].sort()
  return Object.fromEntries(names.map((name) => [name, hash(readFileSync(join(import.meta.dirname, name)))]))
}

/** Returns the manifest of the files that are there. */
export function currentManifest(): Manifest {
  return {
    sources: sourceHashes(),
    texts: Object.fromEntries([...readTexts()].map(([name, text]) => [name, hash(text)])),
  }
}

/** Returns the manifest that was written last; an empty one if it is absent or not JSON. */
export function recordedManifest(): Manifest {
  try {
    return JSON.parse(readFileSync(manifestFile, 'utf8'))
  } catch {
    return { sources: {}, texts: {} }
  }
}

/** Writes the manifest of the files that are there. */
export function writeManifest(): void {
  writeFileSync(manifestFile, `${JSON.stringify(currentManifest(), null, 2)}\n`)
}

/** Returns one sentence for each difference between the files and the manifest. */
export function manifestFaults(recorded: Manifest, current: Manifest): string[] {
  return [
    ...differences(recorded.sources, current.sources).map(
      (name) => `scripts/catalog/${name} changed since the texts were written.`,
    ),
    ...differences(recorded.texts, current.texts).map((name) => {
      if (current.texts[name] === undefined) return `src/catalog/tables/${name} is missing.`
      if (recorded.texts[name] === undefined) return `src/catalog/tables/${name} does not belong there.`
      return `src/catalog/tables/${name} was edited by hand.`
    }),
  ]
}

function differences(expected: Readonly<Record<string, string>>, found: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter((name) => expected[name] !== found[name]).sort()
}
