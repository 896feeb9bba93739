/** Decodes the body of a create or update in CBOR. Follows k8s.io/apimachinery/pkg/runtime/serializer/cbor. */
import { type Decoded, type FieldValidation, StrictDecodeError } from '../../catalog/decoded.ts'
import type { Kind } from '../../catalog/kind.ts'
import { CborError } from '../../cbor/heads.ts'
import { checkCborMap, jsonOfCbor } from '../../cbor/read.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { readTypeMeta, type TypeMeta } from '../../meta/type-meta.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { cborTypeError, cborUnknownField } from './cbor-errors.ts'

/** The prefix of the message about a body whose type cannot be read. */
const undetermined = 'unable to determine group/version/kind: '

const arrayNote = ' (cannot decode CBOR array to struct without toarray option)'

/** A body in CBOR: its type, and the body as JSON. */
export interface CborDocument {
  readonly said: TypeMeta
  /** Throws DecodeError if the body has values that JSON does not have. */
  readonly json: () => string
}

/**
 * Reads the type of a body.
 * @returns kube-apiserver's error text if the type cannot be read
 */
export function readCborDocument(bytes: Uint8Array, kind: Kind): CborDocument | string {
  try {
    checkCborMap(bytes, 'v1.TypeMeta')
    const json = jsonOfCbor(bytes, kind.codec.cborType, `${kind.version}.${kind.kind}`)
    const said = readTypeMeta(parseJson(json))
    return typeof said === 'string' ? `${undetermined}${said}` : { said, json: () => json }
  } catch (error) {
    if (!(error instanceof CborError)) throw error
    const { message, isOutermost } = error
    if (!isOutermost) return failedDocument(kind, message)
    return `${undetermined}${message}${message.startsWith('cbor: cannot unmarshal array') ? arrayNote : ''}`
  }
}

/** Returns the document of a malformed map: it is treated as the expected kind, and `json` throws the error. */
function failedDocument({ kind, apiVersion }: Kind, message: string): CborDocument {
  const json = (): string => {
    throw new DecodeError(message)
  }
  return { said: { kind, apiVersion }, json }
}

/** Decodes with field validation and converts its warnings to the messages about CBOR. */
function decodeStrictly(kind: Kind, value: JsonValue, validation: FieldValidation): Decoded {
  const { codec } = kind
  const finds = validation !== 'Ignore' && codec.cborType !== undefined
  const decoded = codec.decode(value, undefined, finds ? 'Warn' : 'Ignore')
  const [first] = decoded.warnings.filter((warning) => warning.startsWith('unknown field '))
  if (first === undefined) return decoded
  const found = cborUnknownField(value, first)
  if (validation === 'Strict') throw new StrictDecodeError(`strict decoding error: ${found}`)
  return { ...decoded, warnings: [found, ...decoded.warnings.filter((warning) => !warning.startsWith('unknown field '))] }
}

/**
 * Decodes the object of a document.
 * @throws DecodeError if it does not match the kind, StrictDecodeError if field validation rejects it
 */
export function decodeCborObject(kind: Kind, { json }: CborDocument, validation: FieldValidation): Decoded {
  try {
    return decodeStrictly(kind, parseJson(json(), kind.codec.cborType === undefined ? 'untyped' : 'verbatim'), validation)
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(cborTypeError(kind, error.message))
    throw error
  }
}
