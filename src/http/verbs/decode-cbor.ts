/** The body of a create or update in CBOR. Follows k8s.io/apimachinery/pkg/runtime/serializer/cbor. */
import { type Decoded, type FieldValidation, StrictDecodeError } from '../../catalog/decoded.ts'
import type { Kind } from '../../catalog/kind.ts'
import { CborError } from '../../cbor/heads.ts'
import { checkCborMap, jsonOfCbor } from '../../cbor/read.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { readTypeMeta, type TypeMeta } from '../../meta/type-meta.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { cborTypeError, cborUnknownField } from './cbor-errors.ts'

/** What stands in front of a message about bytes that do not even say of what kind they are. */
const undetermined = 'unable to determine group/version/kind: '

const arrayNote = ' (cannot decode CBOR array to struct without toarray option)'

/** A body in CBOR as JSON, and what it says that it is. */
export interface CborDocument {
  readonly said: TypeMeta
  /** Throws DecodeError where the body holds what JSON does not have. */
  readonly json: () => string
}

/**
 * Reads what the body says that it is.
 * @returns the reason as kube-apiserver words it where that cannot be told
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

/** A document that is a map, in which something is wrong: it is taken for what it should be. */
function failedDocument({ kind, apiVersion }: Kind, message: string): CborDocument {
  const json = (): string => {
    throw new DecodeError(message)
  }
  return { said: { kind, apiVersion }, json }
}

/** Field validation's findings as CBOR's. */
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
 * The object of a document.
 * @throws DecodeError for what does not fit the kind, StrictDecodeError for what field validation refuses
 */
export function decodeCborObject(kind: Kind, { json }: CborDocument, validation: FieldValidation): Decoded {
  try {
    return decodeStrictly(kind, parseJson(json(), kind.codec.cborType === undefined ? 'untyped' : 'verbatim'), validation)
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(cborTypeError(kind, error.message))
    throw error
  }
}
