/** Reads manifests from a file or a directory. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { documentsIn } from '../../yaml/documents.ts'
import { readYamlValue } from '../../yaml/parse.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import type { Manifest } from './manifest.ts'

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

/** The use of the manifests, in messages. */
export type Purpose = 'imported' | 'checked'

/** Returns the objects in a document: those of a list one by one. */
function objectsIn(value: JsonValue, file: string, purpose: Purpose): Manifest[] {
  if (value === null) return []
  if (!isObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    throw new LauncherError(`The file ${file} cannot be ${purpose}: a document has no apiVersion or kind.`)
  }
  if (value.kind.endsWith('List') && Array.isArray(value.items))
    return value.items.flatMap((item) => objectsIn(item, file, purpose))
  return [{ ...value, metadata: isObject(value.metadata ?? null) ? (value.metadata as JsonObject) : {} } as Manifest]
}

/** Returns the objects in a file. @throws LauncherError for a file that holds no objects */
export function objectsOfFile(file: string, purpose: Purpose): Manifest[] {
  try {
    return documentsIn(readFileSync(file, 'utf8')).flatMap((document) => objectsIn(readYamlValue(document), file, purpose))
  } catch (error) {
    if (error instanceof LauncherError) throw error
    throw new LauncherError(`The file ${file} cannot be ${purpose}: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
}

/** Returns the path of a file, or of all YAML and JSON files of a directory. @throws LauncherError if there is nothing */
export function manifestFiles(path: string, purpose: Purpose): readonly string[] {
  let isDirectory: boolean
  try {
    isDirectory = statSync(path).isDirectory()
  } catch (error) {
    throw new LauncherError(`${path} cannot be ${purpose}: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
  if (!isDirectory) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.has(extname(name)) && !name.split('/').some((part) => part.startsWith('.')))
    .toSorted()
    .map((name) => join(path, name))
}

/** Returns the objects in a file, or in all YAML and JSON files of a directory. @throws LauncherError for a file that holds no objects */
export const readManifests = (path: string): readonly Manifest[] =>
  manifestFiles(path, 'imported').flatMap((file) => objectsOfFile(file, 'imported'))
