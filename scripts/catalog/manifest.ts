/** The manifest of the generated tables: the hashes of their sources and of the generated files. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The folder of the generated tables. */
export const generatedFolder: string = join(import.meta.dirname, '..', '..', 'src', 'catalog', 'generated')

/** The name of the manifest in the folder of the generated tables. */
export const manifestFile = 'manifest.json'

/** The contents of the manifest. Hashes are SHA-256 in hexadecimal. */
export interface Manifest {
  /** The versions of the Go modules. */
  readonly modules: Readonly<Record<string, string>>
  /** The generator's own sources and data, by path in scripts/catalog. */
  readonly sources: Readonly<Record<string, string>>
  /** The generated files. */
  readonly files: Readonly<Record<string, string>>
}

/** Files of this folder that do not influence the generated files. */
const NOT_SOURCES: ReadonlySet<string> = new Set([
  ...['check.ts', 'record-resources.ts', 'record-facts.ts', 'bootstrap-facts.ts', 'priority-facts.ts'],
  ...['record-releases.ts', 'release-fields.ts', 'release-sources.ts'],
])

/** Returns the hash of a text or of a file's bytes. */
export function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Returns the paths of the generated files in their folder, without the manifest. */
export function generatedFiles(): string[] {
  return readdirSync(generatedFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(generatedFolder, join(entry.parentPath, entry.name)))
    .filter((name) => name !== manifestFile)
}

/** Returns the hashes of the generator's sources. */
export function sourceHashes(): Record<string, string> {
  const own = readdirSync(import.meta.dirname).filter((name) => /\.(ts|json)$/.test(name) && !name.endsWith('.test.ts'))
  const extract = readdirSync(join(import.meta.dirname, 'extract')).map((name) => `extract/${name}`)
  const names = [...own.filter((name) => !NOT_SOURCES.has(name)), ...extract].sort()
  return Object.fromEntries(names.map((name) => [name, hash(readFileSync(join(import.meta.dirname, name)))]))
}

/** Returns one sentence for each difference between the generated folder and the manifest. */
export function manifestFaults(
  manifest: Manifest,
  sources: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
): string[] {
  return [
    ...differences(manifest.sources, sources).map((name) => `scripts/catalog/${name} changed since the catalogue was generated.`),
    ...differences(manifest.files, files).map((name) => {
      if (files[name] === undefined) return `src/catalog/generated/${name} is missing.`
      if (manifest.files[name] === undefined) return `src/catalog/generated/${name} does not belong there.`
      return `src/catalog/generated/${name} was edited by hand.`
    }),
  ]
}

function differences(expected: Readonly<Record<string, string>>, found: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter((name) => expected[name] !== found[name]).sort()
}
