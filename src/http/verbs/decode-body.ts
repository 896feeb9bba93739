/** From the bytes of a create or update to an object of the kind, with kube-apiserver's words for what is none. */
import { type Decoded, type FieldValidation, StrictDecodeError } from '../../catalog/decoded.ts'
import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind, messages } from '../../catalog/protobuf-messages.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import { badRequest } from '../../meta/errors.ts'
import { readTypeMeta, type TypeMeta } from '../../meta/type-meta.ts'
import { type Envelope, readEnvelope } from '../../protobuf/envelope.ts'
import { WireError } from '../../protobuf/wire.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { readYaml, strictYamlError, type YamlDocument } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import { cborMediaType } from '../codec/negotiate.ts'
import type { Input, TextInput } from './body.ts'
import { decodeCborObject, readCborDocument } from './decode-cbor.ts'

/** How much of a body a message shows. */
const shownCharacters = 30

/** The beginning of a body: as it is where it looks like JSON, else its bytes. */
function summary(body: string | Uint8Array): string {
  const bytes = Buffer.from(body)
  if (bytes.length === 0) return '<empty>'
  const looksLikeJson = bytes[0] === 0x7b
  const shown = bytes.subarray(0, shownCharacters).toString(looksLikeJson ? 'utf8' : 'hex')
  return bytes.length > shownCharacters ? `${shown} ...` : shown
}

function unrecognized(kind: Kind, why: string, body: string | Uint8Array): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summary(body)})`)
}

/** The body as JSON, and the JSON text in which duplicate fields can be found, if it is not of YAML. */
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

/**
 * Decodes a body that says this of itself, if it is of the kind.
 * @param read gives the object; what it throws because of the body is told as kube-apiserver does
 */
function decodeAs(kind: Kind, said: TypeMeta, accepted: readonly string[], read: () => Decoded): Decoded {
  const name = said.kind === '' ? kind.kind : said.kind
  const isImplied = kind.codec.typeMeta === 'implied'
  const apiVersion = said.apiVersion === '' && isImplied ? kind.apiVersion : said.apiVersion
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const cannot = (why: string): Error => badRequest(`${name} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`)
  const wrong = kind.codec.mismatch(said)
  if (wrong !== undefined) throw cannot(wrong)
  const isOther = apiVersion !== kind.apiVersion && !accepted.includes(apiVersion)
  const refusal = badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`,
  )
  if (isOther && !isImplied) throw refusal
  try {
    const decoded = read()
    // An implied version is looked at when the body has been read: what is unknown in it is told as well.
    if (isOther) throw refusal.warning(decoded.warnings)
    return decoded
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StrictDecodeError || error instanceof WireError)
      throw cannot(error.message)
    throw error
  }
}

/** Decodes a document, its duplicate keys told as fields are that the kind does not know. */
function decodeDocument(kind: Kind, { value, json, duplicates }: YamlDocument, validation: FieldValidation): Decoded {
  if (duplicates.length === 0 || validation === 'Ignore') return kind.codec.decode(value, json, validation)
  const decoded = kind.codec.decode(value, json, 'Warn')
  if (validation === 'Warn') return { ...decoded, warnings: [...duplicates, ...decoded.warnings] }
  throw new StrictDecodeError(`strict decoding error: ${[strictYamlError(duplicates), ...decoded.warnings].join(', ')}`)
}

function decodeText(kind: Kind, body: TextInput, validation: FieldValidation, accepted: readonly string[]): Decoded {
  const { text } = body
  const document = parse(kind, body)
  const { value } = document
  const said = readTypeMeta(value)
  if (typeof said === 'string') throw unrecognized(kind, said, text)
  if (said.apiVersion.split('/').length > 2) throw unrecognized(kind, `unexpected GroupVersion string: ${said.apiVersion}`, text)
  if (isKindMissing(kind, said)) throw unrecognized(kind, `Object 'Kind' is missing in '${text}'`, text)
  const decoded = decodeAs(kind, said, accepted, () => decodeDocument(kind, document, validation))
  return alsoMisnamed(kind, said, decoded)
}

/** Whether a body that has to declare its kind does not. */
const isKindMissing = ({ codec }: Kind, said: TypeMeta): boolean => codec.typeMeta === 'declared' && said.kind === ''

/** The object, and what it says that it is if that is not the kind. */
function alsoMisnamed(kind: Kind, said: TypeMeta, decoded: Decoded): Decoded {
  return kind.codec.typeErrors(said).length === 0 ? decoded : { ...decoded, misnamed: said }
}

function envelopeOf(kind: Kind, bytes: Uint8Array): Envelope {
  try {
    return readEnvelope(bytes)
  } catch (error) {
    if (error instanceof WireError) throw unrecognized(kind, error.message, bytes)
    throw error
  }
}

/** Field validation finds nothing in protobuf: unknown fields are what newer releases have, and none is there twice. */
function decodeProtobuf(kind: Kind, bytes: Uint8Array, accepted: readonly string[]): Decoded {
  const envelope = envelopeOf(kind, bytes)
  const message = messageOfKind(kind)
  if (message === undefined) throw unrecognized(kind, 'it has no form in protobuf', bytes)
  return decodeAs(kind, envelope, accepted, () => {
    const value = messages.decode(message, envelope.raw)
    return kind.codec.decode({ kind: kind.kind, apiVersion: kind.apiVersion, ...value }, undefined, 'Ignore')
  })
}

function decodeCbor(kind: Kind, bytes: Uint8Array, validation: FieldValidation, accepted: readonly string[]): Decoded {
  const document = readCborDocument(bytes, kind)
  if (typeof document === 'string') throw unrecognized(kind, document, bytes)
  const { said } = document
  if (isKindMissing(kind, said)) throw unrecognized(kind, `Object 'Kind' is missing in '${document.json()}'`, bytes)
  const decoded = decodeAs(kind, said, accepted, () => decodeCborObject(kind, document, validation))
  return alsoMisnamed(kind, said, decoded)
}

/**
 * @param accepted versions of the kind that are as good as its own: their objects have the same form
 * @returns the object, defaulted, and the warnings to send
 * @throws ApiError 400 with the text that tells what is wrong with the body
 */
export function decodeBody(kind: Kind, input: Input, validation: FieldValidation, accepted: readonly string[] = []): Decoded {
  if ('text' in input) return decodeText(kind, input, validation, accepted)
  return input.mediaType === cborMediaType
    ? decodeCbor(kind, input.bytes, validation, accepted)
    : decodeProtobuf(kind, input.bytes, accepted)
}
