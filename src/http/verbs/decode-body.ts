/** From the bytes of a create or update to an object of the kind, with kube-apiserver's words for what is none. */
import type { Kind } from '../../catalog/kind.ts'
import type { FieldValidation } from '../../clusters/operation.ts'
import { badRequest } from '../../meta/errors.ts'
import { parseJson } from '../../meta/json.ts'
import { JsonSyntaxError } from '../../meta/json-syntax.ts'
import type { JsonValue } from '../../meta/json-value.ts'
import { type Decoded, decodeObject, StrictDecodeError } from '../../registry/field-validation.ts'
import { mismatch, readTypeMeta } from '../../registry/type-meta.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import type { MediaType } from '../codec/negotiate.ts'
import { parseYaml } from '../codec/parse-yaml.ts'

/** How much of a body a message shows. */
const shownCharacters = 30

/** The beginning of a body: as it is where it looks like JSON, else its bytes. */
function summary(text: string): string {
  if (text === '') return '<empty>'
  if (text.startsWith('{')) return text.length > shownCharacters ? `${text.slice(0, shownCharacters)} ...` : text
  const bytes = Buffer.from(text)
  const hex = bytes.subarray(0, shownCharacters).toString('hex')
  return bytes.length > shownCharacters ? `${hex} ...` : hex
}

function unrecognized(kind: Kind, why: string, text: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summary(text)})`)
}

/** The body as JSON, and the JSON text in which duplicate fields can be found. */
function parse(kind: Kind, text: string, mediaType: MediaType): { value: JsonValue; json: string } {
  try {
    if (mediaType === 'application/yaml') return parseYaml(text)
    return { value: parseJson(text, 'verbatim'), json: text }
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, text)
    throw error
  }
}

/**
 * @returns the object, defaulted, and the warnings to send
 * @throws ApiError 400 with the text that tells what is wrong with the body
 */
export function decodeBody(kind: Kind, text: string, mediaType: MediaType, validation: FieldValidation): Decoded {
  const { value, json } = parse(kind, text, mediaType)
  const said = readTypeMeta(value)
  if (typeof said === 'string') throw unrecognized(kind, said, text)
  if (said.apiVersion.split('/').length > 2) throw unrecognized(kind, `unexpected GroupVersion string: ${said.apiVersion}`, text)
  const name = said.kind === '' ? kind.kind : said.kind
  const apiVersion = said.apiVersion === '' ? kind.apiVersion : said.apiVersion
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const cannot = (why: string): Error => badRequest(`${name} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`)
  const wrong = mismatch(kind, said)
  if (wrong !== undefined) throw cannot(wrong)
  if (apiVersion !== kind.apiVersion) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`)
  }
  try {
    return decodeObject(kind, value, json, validation)
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw cannot(error.message)
    throw error
  }
}
