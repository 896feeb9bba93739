/** Reads manifests from a file or a directory. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { readYamlValue } from '../../yaml/parse.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import type { Manifest } from './manifest.ts'

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

/** Returns the documents of a stream of YAML. JSON is YAML. */
const documentsOf = (text: string): string[] =>
  text.split(/^---(?:[ \t].*)?$/m).filter((document) => /^\s*[^#\s]/m.test(document))

/** Returns the objects in a document: those of a list one by one. */
function objectsIn(value: JsonValue, file: string): Manifest[] {
  if (value === null) return []
  if (!isObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    throw new LauncherError(`The file ${file} cannot be imported: a document has no apiVersion or kind.`)
  }
  if (value.kind.endsWith('List') && Array.isArray(value.items)) return value.items.flatMap((item) => objectsIn(item, file))
  return [{ ...value, metadata: isObject(value.metadata ?? null) ? (value.metadata as JsonObject) : {} } as Manifest]
}

function objectsOfFile(file: string): Manifest[] {
  try {
    return documentsOf(readFileSync(file, 'utf8')).flatMap((document) => objectsIn(readYamlValue(document), file))
  } catch (error) {
    if (error instanceof LauncherError) throw error
    throw new LauncherError(`The file ${file} cannot be imported: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
}

/** Returns the objects in a file, or in all YAML and JSON files of a directory. @throws LauncherError for a file that holds no objects */
export function readManifests(path: string): readonly Manifest[] {
  let isDirectory: boolean
  try {
    isDirectory = statSync(path).isDirectory()
  } catch (error) {
    throw new LauncherError(`${path} cannot be imported: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
  if (!isDirectory) return objectsOfFile(path)
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.has(extname(name)) && !name.split('/').some((part) => part.startsWith('.')))
    .toSorted()
    .flatMap((name) => objectsOfFile(join(path, name)))
}
