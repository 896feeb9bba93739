/** Decodes the body of a create or update to an object of the kind, with kube-apiserver's messages about invalid bodies. */

import { mismatchOf } from '../../catalog/declared-type.ts'
import { type Decoded, type FieldValidation, StrictDecodeError } from '../../catalog/decoded.ts'
import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind, messages } from '../../catalog/protobuf-messages.ts'
import { isUnversioned } from '../../catalog/registered-kinds.ts'
import { cborMediaType } from '../../encoding/media-type.ts'
import { stringify } from '../../go/json.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { escapeHtml } from '../../go/text.ts'
import { badRequest } from '../../meta/errors.ts'
import { waitIfLong } from '../../meta/parts.ts'
import { readTypeMeta, type TypeMeta } from '../../meta/type-meta.ts'
import { type Envelope, readEnvelope } from '../../protobuf/envelope.ts'
import { WireError } from '../../protobuf/wire.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { sortedDeep } from '../../schema/sorted.ts'
import { readYaml, strictYamlError, type YamlDocument } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import type { Input, TextInput } from './body.ts'
import { decodeCborObject, readCborDocument } from './decode-cbor.ts'

/** The number of bytes of a body in an error message. */
const excerptLength = 30

/** Returns the beginning of a body for an error message: as text if it looks like JSON, otherwise in hexadecimal. */
function summary(body: string | Uint8Array): string {
  const bytes = Buffer.from(body)
  if (bytes.length === 0) return '<empty>'
  const looksLikeJson = bytes[0] === 0x7b
  const excerpt = bytes.subarray(0, excerptLength).toString(looksLikeJson ? 'utf8' : 'hex')
  return bytes.length > excerptLength ? `${excerpt} ...` : excerpt
}

function unrecognized(kind: Kind, why: string, body: string | Uint8Array): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summary(body)})`)
}

/** Parses a text body. `json` is the text in which duplicate fields are found; YAML reports its duplicate keys itself. */
function parse(kind: Kind, { text, mediaType, bytes, yaml }: TextInput): YamlDocument {
  try {
    if (yaml instanceof YamlSyntaxError) throw yaml
    if (mediaType === 'application/yaml') return yaml ?? readYaml(text)
    return { value: kind.codec.parse(text), json: text, duplicates: [] }
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw unrecognized(kind, error.message, bytes ?? text)
    if (error instanceof JsonSyntaxError)
      throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, text)
    throw error
  }
}

/** A body as its author declares it. */
interface DeclaredBody {
  readonly typeMeta: TypeMeta
  /** The document, if it is text. */
  readonly value?: JsonValue
}

/**
 * Decodes a body after checking that its type matches the kind.
 * @param read decodes the object; errors that it throws because of the body become kube-apiserver's messages
 */
function decodeAs(kind: Kind, { typeMeta, value }: DeclaredBody, accepted: readonly string[], read: () => Decoded): Decoded {
  const name = typeMeta.kind === '' ? kind.kind : typeMeta.kind
  const isImplied = kind.codec.typeMeta === 'implied'
  const apiVersion = isImplied && isUnversioned(kind, typeMeta.apiVersion) ? kind.apiVersion : typeMeta.apiVersion
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const cannot = (why: string): Error => badRequest(`${name} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`)
  const wrong = mismatchOf(kind, typeMeta, value)
  if (wrong !== undefined) throw cannot(wrong)
  try {
    const decoded = read()
    if (apiVersion === kind.apiVersion || accepted.includes(apiVersion)) return decoded
    // An apiVersion is checked after decoding: the error also contains the warnings about unknown fields.
    const expected = `does not match the expected API version (${kind.apiVersion})`
    throw badRequest(`the API version in the data (${apiVersion}) ${expected}`).warning(decoded.warnings)
  } catch (error) {
    if (error instanceof StrictDecodeError && !isImplied) throw strictly(name, version, error)
    if (error instanceof DecodeError || error instanceof StrictDecodeError || error instanceof WireError)
      throw cannot(error.message)
    throw error
  }
}

/** Returns the error for strict errors in a body that declares its type: kube-apiserver takes the type from the body. */
function strictly(name: string, version: string, { message }: StrictDecodeError): Error {
  if (version === '') return badRequest("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  return badRequest(`${name} in version "${version}" cannot be handled as a ${name}: ${message}`)
}

/** Decodes a document. Its duplicate keys are reported together with unknown fields. */
function decodeDocument(
  kind: Kind,
  { value, json, duplicates }: YamlDocument,
  typeMeta: TypeMeta,
  validation: FieldValidation,
): Decoded {
  if (duplicates.length === 0 || validation === 'Ignore') return kind.codec.decode(value, json, validation, typeMeta)
  const decoded = kind.codec.decode(value, json, 'Warn', typeMeta)
  if (validation === 'Warn') return { ...decoded, warnings: [...duplicates, ...decoded.warnings] }
  throw new StrictDecodeError(`strict decoding error: ${[strictYamlError(duplicates), ...decoded.warnings].join(', ')}`)
}

async function decodeText(
  kind: Kind,
  body: TextInput,
  validation: FieldValidation,
  accepted: readonly string[],
): Promise<Decoded> {
  const { text } = body
  const document = parse(kind, body)
  await waitIfLong(text)
  const { value } = document
  const typeMeta = readTypeMeta(value)
  if (typeof typeMeta === 'string') throw unrecognized(kind, typeMeta, text)
  if (typeMeta.apiVersion.split('/').length > 2)
    throw unrecognized(kind, `unexpected GroupVersion string: ${typeMeta.apiVersion}`, text)
  if (isKindMissing(kind, typeMeta)) throw missingKind(kind, body, document, typeMeta, validation)
  const decoded = decodeAs(kind, { typeMeta, value }, accepted, () => decodeDocument(kind, document, typeMeta, validation))
  return alsoMisnamed(kind, typeMeta, decoded)
}

/** Returns the error for a body that does not declare its kind. Without field validation, Go reads its JSON in another way. */
function missingKind(
  kind: Kind,
  { text, mediaType }: TextInput,
  { value }: YamlDocument,
  { apiVersion }: TypeMeta,
  validation: FieldValidation,
): Error {
  if (validation !== 'Ignore') return unrecognized(kind, `Object 'Kind' is missing in '${text}'`, text)
  const json = mediaType === 'application/yaml' ? escapeHtml(stringify(sortedDeep(value))) : text.trim()
  const version = (apiVersion || kind.apiVersion).replace(/^.*\//, '')
  return badRequest(
    `${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: Object 'Kind' is missing in '${json}'`,
  )
}

/** Whether the kind is missing in a body that must declare it. */
const isKindMissing = ({ codec }: Kind, typeMeta: TypeMeta): boolean => codec.typeMeta === 'declared' && typeMeta.kind === ''

/** Adds the body's type to the result if it is not that of the kind. */
function alsoMisnamed(kind: Kind, typeMeta: TypeMeta, decoded: Decoded): Decoded {
  return kind.codec.typeErrors(typeMeta).length === 0 ? decoded : { ...decoded, misnamed: typeMeta }
}

function envelopeOf(kind: Kind, bytes: Uint8Array): Envelope {
  try {
    return readEnvelope(bytes)
  } catch (error) {
    if (error instanceof WireError) throw unrecognized(kind, error.message, bytes)
    throw error
  }
}

/**
 * Decodes protobuf. Field validation does not apply to it: unknown fields are those of newer releases, and there are no
 * duplicates.
 */
function decodeProtobuf(kind: Kind, bytes: Uint8Array, accepted: readonly string[]): Decoded {
  const envelope = envelopeOf(kind, bytes)
  const message = messageOfKind(kind)
  if (message === undefined) throw unrecognized(kind, 'it has no form in protobuf', bytes)
  return decodeAs(kind, { typeMeta: envelope }, accepted, () => {
    const value = messages.decode(message, envelope.raw)
    return kind.codec.decode({ kind: kind.kind, apiVersion: kind.apiVersion, ...value }, undefined, 'Ignore')
  })
}

function decodeCbor(kind: Kind, bytes: Uint8Array, validation: FieldValidation, accepted: readonly string[]): Decoded {
  const document = readCborDocument(bytes, kind)
  if (typeof document === 'string') throw unrecognized(kind, document, bytes)
  const { typeMeta } = document
  if (isKindMissing(kind, typeMeta)) throw unrecognized(kind, `Object 'Kind' is missing in '${document.json()}'`, bytes)
  const decoded = decodeAs(kind, { typeMeta }, accepted, () => decodeCborObject(kind, document, validation))
  return alsoMisnamed(kind, typeMeta, decoded)
}

/**
 * Decodes a body. A long one is parsed, then decoded, and then handled by the caller, each in a slice of its own.
 * @param accepted other apiVersions of the kind, whose objects have the same form
 * @returns the object with defaults, and the warnings for the client
 * @throws ApiError 400 with kube-apiserver's message about the body
 * @example
 * const { object, warnings } = await decodeBody(kind, await readInput(request, 'application/json'), 'Strict')
 */
export async function decodeBody(
  kind: Kind,
  input: Input,
  validation: FieldValidation,
  accepted: readonly string[] = [],
): Promise<Decoded> {
  const decoded = await decodeInput(kind, input, validation, accepted)
  await waitIfLong('text' in input ? input.text : input.bytes)
  return decoded
}

function decodeInput(
  kind: Kind,
  input: Input,
  validation: FieldValidation,
  accepted: readonly string[],
): Decoded | Promise<Decoded> {
  if ('text' in input) return decodeText(kind, input, validation, accepted)
  return input.mediaType === cborMediaType
    ? decodeCbor(kind, input.bytes, validation, accepted)
    : decodeProtobuf(kind, input.bytes, accepted)
}
