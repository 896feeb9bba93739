/** DeleteOptions from the body, or from the query if there is no body. */

import { messages } from '../../catalog/protobuf-messages.ts'
import { typeOf } from '../../catalog/scheme.ts'
import { CborError } from '../../cbor/heads.ts'
import { jsonOfCbor } from '../../cbor/read.ts'
import type { DeleteOptions } from '../../clusters/operation.ts'
import type { MediaType } from '../../encoding/media-type.ts'
import { protobufMediaType } from '../../encoding/media-type.ts'
import { parseJson } from '../../go/json.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { badRequest } from '../../meta/errors.ts'
import { type DeleteOptions as GivenOptions, readDeleteOptions, validateDeleteOptions } from '../../meta/options.ts'
import { readTypeMeta, scheme, type TypeMeta } from '../../meta/type-meta.ts'
import { readEnvelope } from '../../protobuf/envelope.ts'
import { decode } from '../../schema/decode.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { readYaml } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import { negotiateInput } from '../codec/content-type.ts'
import { type Input, inputOf, readBytes } from './body.ts'

/** The fields of an operation that deletes. */
export interface Deletion {
  readonly delete: DeleteOptions
  readonly dryRun: boolean
}

/** Kinds that are registered with kube-apiserver's decoder of options: in any version, or only in meta.k8s.io/v1. */
const otherKinds = new Set('APIGroup APIGroupList APIResourceList APIVersions CreateOptions Status UpdateOptions'.split(' '))
const otherMetaKinds = new Set(
  'GetOptions ListOptions PartialObjectMetadata PatchOptions Table TableOptions WatchEvent'.split(' '),
)

/** Checks the kind: DeleteOptions, or none. Their version is ignored. */
function checkKind({ apiVersion, kind }: TypeMeta): void {
  if (kind === '' || kind === 'DeleteOptions') return
  const version = apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion
  throw otherKinds.has(kind) || (version === 'meta.k8s.io/v1' && otherMetaKinds.has(kind))
    ? badRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`)
    : badRequest(`no kind "${kind}" is registered for version "${version}" in scheme "${scheme}"`)
}

function parseText(text: string, mediaType: MediaType): JsonValue {
  try {
    return mediaType === 'application/yaml' ? readYaml(text).value : parseJson(text, 'verbatim')
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw badRequest(error.message)
    if (error instanceof JsonSyntaxError) throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`)
    throw error
  }
}

function parseCbor(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(jsonOfCbor(bytes))
  } catch (error) {
    if (error instanceof CborError) throw badRequest(`unable to determine group/version/kind: ${error.message}`)
    throw error
  }
}

/** Parses the body and checks its kind. */
function parse(input: Input): JsonValue {
  if (input.mediaType === protobufMediaType) {
    const envelope = readEnvelope(input.bytes)
    checkKind(envelope)
    return messages.decode('meta/v1.DeleteOptions', envelope.raw)
  }
  const value = 'bytes' in input ? parseCbor(input.bytes) : parseText(input.text, input.mediaType)
  const typeMeta = readTypeMeta(value)
  if (typeof typeMeta === 'string') throw badRequest(typeMeta)
  if (typeMeta.apiVersion.split('/').length > 2) throw badRequest(`unexpected GroupVersion string: ${typeMeta.apiVersion}`)
  checkKind(typeMeta)
  return value
}

function decodeGiven(input: Input): GivenOptions {
  try {
    return decode(typeOf('meta/v1.DeleteOptions'), parse(input), { strict: false }).object as unknown as GivenOptions
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message)
    throw error
  }
}

/** Converts validated options to the fields of an operation. */
export function carried(given: GivenOptions): Deletion {
  const { preconditions, gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun = [] } = given
  const policies = ['Orphan', 'Background', 'Foreground'] as const
  const policy = policies.find((p) => p === propagationPolicy)
  const { uid, resourceVersion } = preconditions ?? {}
  const isEmpty = preconditions !== undefined && uid === undefined && resourceVersion === undefined
  return {
    delete: {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(isEmpty && { emptyPreconditions: true }),
      // A number that is kept as digits would not survive the call of the Durable Object.
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: Number(gracePeriodSeconds) }),
      ...(policy !== undefined && { propagationPolicy: policy }),
      ...(orphanDependents !== undefined && { orphanDependents }),
    },
    dryRun: dryRun.length > 0,
  }
}

/** Reads and validates the options. @throws ApiError 400, 413, 415 and 422 */
export async function readDeletion(request: Request, query: URLSearchParams): Promise<Deletion> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return carried(readDeleteOptions(query))
  const given = decodeGiven(await inputOf(bytes, negotiateInput(request.headers.get('content-type'))))
  validateDeleteOptions(given)
  return carried(given)
}
