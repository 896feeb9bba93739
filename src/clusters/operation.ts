/**
 * What the Worker asks of the Durable Object that holds a collection: one operation, one hop.
 * It travels as a header of the inner request; an object or patch, where there is one, is the body.
 */
import type { BodyFindings, FieldValidation } from '../catalog/decoded.ts'
import { asciiJson } from '../go/text.ts'
import type { StatusDetails } from '../meta/errors.ts'
import { ApiError } from '../meta/errors.ts'
import type { User } from '../meta/user.ts'
import type { AttemptState, DisruptedPod, KnownResults } from './lookups.ts'

/** Which resource in which version, and which object of it. */
export interface Target {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** '' for the resource itself. */
  readonly subresource: string
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string
  readonly name: string
}

/** What every write carries. */
export interface WriteOptions {
  /** The field manager: `fieldManager` of the query, else from the User-Agent. */
  readonly manager: string
  readonly dryRun: boolean
  /** Who writes; absent where the server itself does. */
  readonly user?: User
  /** The object is what a patch made of the one that is there: its uid is then no precondition but a change. */
  readonly fromPatch?: true
}

/** Preconditions and manner of a deletion. Follows DeleteOptions of meta/v1. */
export interface DeleteOptions {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  /** What clients said before there was propagationPolicy; never both. */
  readonly orphanDependents?: boolean
}

/** Which objects of a collection. */
export interface Selection {
  readonly labelSelector: string
  readonly fieldSelector: string
}

export interface ListOptions extends Selection {
  readonly resourceVersion: string
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan'
  /** 0: no limit. */
  readonly limit: number
  readonly continue: string
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string
  readonly allowWatchBookmarks: boolean
  /** Undefined: only where the version is 0, and without the bookmark that ends them. */
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds: number
}

/** The versions of meta.k8s.io. */
export type MetaVersion = 'v1' | 'v1beta1'

/** In which form the client wants objects, where that is not the objects themselves. Follows "Receiving resources as Tables". */
export type Representation =
  | {
      readonly as: 'Table'
      readonly version: MetaVersion
      /** What stands beside the cells, as the client wrote it: it is checked when there is something to show. */
      readonly includeObject: string
    }
  | { readonly as: 'PartialObjectMetadata' | 'PartialObjectMetadataList'; readonly version: MetaVersion }

/** Bytes instead of JSON. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf'
export type ProtobufMediaType = typeof protobufMediaType

/** How the client wants to have what is answered; JSON of the objects as they are where nothing is said. */
export interface ResponseFormat {
  readonly representation?: Representation
  /** Of lists and watches: single objects are always JSON here, and the Worker writes what the client asks for. */
  readonly mediaType?: ProtobufMediaType
  /** Of what the Worker makes another form, where it does: it is then the Worker that waits for the client. */
  readonly converted?: 'bytes' | 'texts'
}

export type PatchType = 'json' | 'merge' | 'strategic'

/** What every operation carries. */
interface OperationBase extends ResponseFormat {
  readonly target: Target
  /** Headers of the answer that the Worker knows: the object sets them, so that no copy of the answer has to be made. */
  readonly answerHeaders?: Readonly<Record<string, string>>
  /** When the request's time is over, in milliseconds since the epoch: no write is committed any more. Absent where it lasts. */
  readonly deadline?: number
  /** Of objects that may be in different versions only the metadata are of interest: nothing is converted. */
  readonly unconverted?: true
  /** The tag of the definition, as the asker knows it, of a custom resource. */
  readonly definition?: string
  /** Results of lookups: those that the Worker expected the commit to need, and those of former attempts. */
  readonly lookups?: KnownResults
  /** Present if the operation runs again. */
  readonly attempt?: AttemptState
}

export type Operation = OperationBase &
  (
    | { readonly verb: 'get'; readonly resourceVersion: string }
    | { readonly verb: 'list'; readonly list: ListOptions }
    | { readonly verb: 'watch'; readonly watch: WatchOptions }
    | ({ readonly verb: 'create'; readonly write: WriteOptions } & BodyFindings)
    | ({ readonly verb: 'update'; readonly write: WriteOptions } & BodyFindings)
    | {
        readonly verb: 'patch'
        readonly write: WriteOptions
        readonly patchType: PatchType
        readonly fieldValidation: FieldValidation
      }
    | { readonly verb: 'apply'; readonly write: WriteOptions; readonly force: boolean; readonly strictError?: string }
    | { readonly verb: 'delete'; readonly delete: DeleteOptions; readonly dryRun: boolean }
    | { readonly verb: 'deletecollection'; readonly list: ListOptions; readonly delete: DeleteOptions; readonly dryRun: boolean }
    /** Assigns a Pod to a node; the Binding is the body. */
    | { readonly verb: 'bind'; readonly dryRun: boolean }
    | {
        readonly verb: 'evict'
        readonly delete: DeleteOptions
        readonly dryRun: boolean
        /** What is wrong with the options: told once it is known that there is such a Pod. */
        readonly refusal?: WireError
      }
    /** Takes one disruption of a Pod from the budget that guards it. */
    | { readonly verb: 'disrupt'; readonly pod: DisruptedPod; readonly dryRun: boolean }
  )

/** By which a client and the audit log speak of one request. */
export const auditHeader = 'audit-id'
const operationHeader = 'edgeplane-operation'
const errorHeader = 'edgeplane-error'
/** Warnings of the registry, as a JSON list of texts. */
export const warningsHeader = 'edgeplane-warnings'
/** On an answer of more than `largeBytes`: it goes out compressed to a client that takes it so. */
export const largeHeader = 'edgeplane-large'
/** Above so many bytes kube-apiserver compresses. */
export const largeBytes = 128 * 1024

/** Whether a body has more than `largeBytes`. */
export function isLarge(text: string | Uint8Array): boolean {
  if (typeof text !== 'string') return text.byteLength > largeBytes
  // A UTF-16 unit is at most three bytes of UTF-8: most texts need no counting.
  return text.length * 3 > largeBytes && Buffer.byteLength(text) > largeBytes
}

/** Where inner requests go: the host is no host, the object is. */
export const collectionUrl = 'http://collection/'

/** How an inner request carries an operation. One without a body is a GET: the runtime then makes no stream for it. */
export function operationInit(
  operation: Operation,
  body?: string,
): { method: string; headers: Record<string, string>; body?: string } {
  const headers = { [operationHeader]: asciiJson(JSON.stringify(operation)) }
  return body === undefined ? { method: 'GET', headers } : { method: 'POST', headers, body }
}

/** The operation of an inner request. Its sender is the Worker: it is not checked again. */
export function operationOf(request: Request): Operation {
  return JSON.parse(request.headers.get(operationHeader) ?? 'null') as Operation
}

/** An ApiError as it travels. */
export interface WireError {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: StatusDetails
  readonly continue?: string
  readonly warnings?: readonly string[]
}

/** An ApiError on its way from the Durable Object to the Worker. */
export function errorResponse(error: ApiError): Response {
  return new Response(JSON.stringify(wireError(error)), { status: error.code, headers: { [errorHeader]: '1' } })
}

/** The parts of an ApiError that travel. */
export function wireError(error: ApiError): WireError {
  const { code, reason, message, details, continue: token, warnings } = error
  return {
    code,
    reason,
    message,
    ...(details !== undefined && { details }),
    ...(token !== undefined && { continue: token }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** The error that travelled. */
export function fromWire(wire: WireError): ApiError {
  const error = new ApiError(wire.code, wire.reason, wire.message, wire.details, wire.continue)
  error.warnings = wire.warnings ?? []
  return error
}

/** Throws the ApiError that an inner answer carries, else gives the answer back. */
export async function unwrap(response: Response): Promise<Response> {
  if (response.headers.get(errorHeader) === null) return response
  throw fromWire((await response.json()) as WireError)
}
