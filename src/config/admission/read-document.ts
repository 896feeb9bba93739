/** Reads versioned configuration documents as kube-apiserver decodes them, with its errors. */

import { isObject } from '../../go/json-object.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import { ConfigurationError, requireSchema } from '../document.ts'
import type { SchemaName } from '../schema-errors.ts'

/** An error in a configuration that kube-apiserver finds after decoding, when it initializes the plugin. */
export class InitializationError extends Error {}

/** A configuration document: its kind by group and version, and its schema. */
export interface DocumentType {
  /** The kind that each group and version has. */
  readonly kinds: Readonly<Record<string, string>>
  readonly schema: SchemaName
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** Throws unless the document has one of the kinds. */
function requireKind(document: JsonValue, kinds: DocumentType['kinds']): void {
  const { apiVersion, kind } = isObject(document) ? document : {}
  const [version, name] = [textOf(apiVersion), textOf(kind)]
  if (name === '') throw new Error(`Object 'Kind' is missing in '${JSON.stringify(document)}'`)
  if (version === '') throw new Error(`Object 'apiVersion' is missing in '${JSON.stringify(document)}'`)
  if (Object.hasOwn(kinds, version) && kinds[version] === name) return
  throw new Error(`no kind ${goQuote(name)} is registered for version ${goQuote(version)}`)
}

/**
 * Checks the shape of a document without a kind. `Raw` must be the type that the schema describes.
 * @throws Error that names the first wrong field; in the words of the strict decoder for an unknown field
 */
export function readShape<Raw>(document: JsonValue, schema: SchemaName): Raw {
  try {
    requireSchema(schema, document)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new Error(
      error.isOfUnknownField ? `strict decoding error: unknown field ${goQuote(error.path)}` : `${error.path} ${error.message}`,
    )
  }
  return document as unknown as Raw
}

/**
 * Checks the kind and the shape of a document. `Raw` must be the type that the schema describes.
 * @throws Error in kube-apiserver's words for another kind and for an unknown field; otherwise naming the first wrong field
 */
export function readDocument<Raw>(document: JsonValue, { kinds, schema }: DocumentType): Raw {
  requireKind(document, kinds)
  return readShape<Raw>(document, schema)
}
