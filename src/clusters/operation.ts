/**
 * Operations: the requests of the Worker to the Durable Object of a collection. One operation takes one hop. It is a header of
 * the inner request; the body is the object or patch, if the verb has one.
 */
import type { DecodedObject, FieldValidation, LostInJson } from '../catalog/decoded.ts'
import type { AnswerFields } from '../encoding/answer-fields.ts'
import type { JsonObject } from '../go/json-value.ts'
import { asciiJson } from '../go/text.ts'
import type { User } from '../meta/user.ts'
import type { AttemptState, DisruptedPod, KnownResults } from './lookups.ts'
import type { PodsEvaluation } from './pod-security.ts'
import type { WireError } from './wire-error.ts'

/** The resource, version and name to which an operation applies. */
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

/** The options of every write. */
export interface WriteOptions {
  /** The field manager: the query parameter `fieldManager`, or the default from the User-Agent. */
  readonly manager: string
  readonly dryRun: boolean
  /** The user of the request; undefined if the server itself writes. */
  readonly user?: User
  /** The object is the result of a patch: its uid is then not a precondition but a change. */
  readonly fromPatch?: true
}

/** The options of a request as policies and webhooks see them: those of meta.k8s.io/v1, without apiVersion and kind. */
export interface RequestOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions'
  /** The set fields. */
  readonly fields: JsonObject
}

/** Tells a collection that policies or webhooks may match the operation. */
export interface AdmissionOfOperation {
  /** The tag of the configuration that the Worker knows. */
  readonly tag: string
  readonly options: RequestOptions
}

/** Preconditions and propagation policy of a deletion. Follows DeleteOptions of meta/v1. */
export interface DeleteOptions {
  readonly uid?: string
  readonly resourceVersion?: string
  /** Whether preconditions are given without a field. They require nothing, but policies and webhooks see them. */
  readonly emptyPreconditions?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  /** The deprecated field that propagationPolicy replaces; never set together with it. */
  readonly orphanDependents?: boolean
}

/** Selects objects of a collection. */
export interface Selection {
  readonly labelSelector: string
  readonly fieldSelector: string
}

/** The options of a list. Follows ListOptions of meta/v1. */
export interface ListOptions extends Selection {
  readonly resourceVersion: string
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan'
  /** 0 for no limit. */
  readonly limit: number
  readonly continue: string
}

/** Selects all objects in one answer. */
export const allObjects: ListOptions = {
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
}

/** The options of a watch. Follows ListOptions of meta/v1. */
export interface WatchOptions extends Selection {
  readonly resourceVersion: string
  readonly allowWatchBookmarks: boolean
  /** If undefined, initial events are sent only for resourceVersion 0, and without the bookmark after them. */
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds: number
}

/** The place in a watch up to which its client has it: an object of the initial state at a version, or a version of the events. */
export type WatchPlace =
  | { readonly phase: 'state'; readonly resourceVersion: number; readonly after: string }
  | { readonly phase: 'events'; readonly resourceVersion: number }

/** A watch that continues on another connection. */
export interface WatchResumption {
  readonly place: WatchPlace
  /** Whether the client was sent something: parts that only the first event has (Table columns) are not sent again. */
  readonly begun: boolean
}

/** The patch types that collections apply: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386), strategic merge patch. */
export type PatchType = 'json' | 'merge' | 'strategic'

/** The fields of every operation. */
interface OperationBase extends AnswerFields {
  readonly target: Target
  /**
   * Headers that the Worker wants in the response: the Durable Object sets them, so that the Worker need not copy the response.
   */
  readonly answerHeaders?: Readonly<Record<string, string>>
  /**
   * The request's deadline in milliseconds since the epoch: after it, writes are not committed. Undefined for long-running
   * requests.
   */
  readonly deadline?: number
  /**
   * The release that the cluster emulates, and what its settings switch, as one text of config/emulation.ts; absent for the newest
   * release.
   */
  readonly emulation?: string
  /** Only metadata is needed: objects stored in other versions are not converted. */
  readonly unconverted?: true
  /** The tag of a custom resource's definition that the Worker knows. */
  readonly definition?: string
  /** Set if policies or webhooks may match the operation. */
  readonly admission?: AdmissionOfOperation
  /** Results of lookups: expected ones, and those of earlier attempts. */
  readonly lookups?: KnownResults
  /** Set if the operation is performed again. */
  readonly attempt?: AttemptState
  /** The time whose state is read, in milliseconds since the epoch; absent for the present. Only for get and list. */
  readonly time?: number
}

/** One operation: a verb with its options. */
export type Operation = OperationBase &
  (
    | { readonly verb: 'get'; readonly resourceVersion: string }
    | { readonly verb: 'list'; readonly list: ListOptions }
    | { readonly verb: 'watch'; readonly watch: WatchOptions; readonly resumption?: WatchResumption }
    | ({ readonly verb: 'create'; readonly write: WriteOptions } & LostInJson)
    | ({ readonly verb: 'update'; readonly write: WriteOptions } & LostInJson & Pick<DecodedObject, 'misnamed'>)
    | {
        readonly verb: 'patch'
        readonly write: WriteOptions
        readonly patchType: PatchType
        readonly fieldValidation: FieldValidation
      }
    | {
        readonly verb: 'apply'
        readonly write: WriteOptions
        readonly force: boolean
        readonly strictError?: string
        readonly errorWarnings?: readonly string[]
      }
    | {
        readonly verb: 'delete'
        readonly delete: DeleteOptions
        readonly dryRun: boolean
        readonly user?: User
        /** The deletion is part of a deletecollection, whose admission does not know the names of the objects. */
        readonly ofCollection?: true
      }
    | {
        readonly verb: 'deletecollection'
        readonly list: ListOptions
        readonly delete: DeleteOptions
        readonly dryRun: boolean
        readonly user?: User
      }
    /** Assigns a Pod to a node; the Binding is the body. */
    | { readonly verb: 'bind'; readonly dryRun: boolean }
    | {
        readonly verb: 'evict'
        readonly delete: DeleteOptions
        readonly dryRun: boolean
        /** The error of invalid options, which is returned after the condition of the Pod has been set. */
        readonly refusal?: WireError
      }
    /** Evaluates the Pods of a namespace against a Pod Security Standard. */
    | ({ readonly verb: 'evaluatePods' } & PodsEvaluation)
    /** Takes one disruption of a Pod from the PodDisruptionBudget that selects it. */
    | { readonly verb: 'disrupt'; readonly pod: DisruptedPod; readonly dryRun: boolean }
  )

/** A watch. */
export type WatchOperation = Extract<Operation, { verb: 'watch' }>

/** The header with the id of a request for clients and the audit log. */
export const auditHeader = 'audit-id'
const operationHeader = 'edgeplane-operation'
/** Warnings of the registry, as a JSON list of texts. */
export const warningsHeader = 'edgeplane-warnings'
/** The RequestFindings of an operation as JSON. */
export const findingsHeader = 'edgeplane-findings'
/** Set on a response above the size that kube-apiserver compresses: it is compressed if the client accepts that. */
export const largeHeader = 'edgeplane-large'
/** Returns the inner request of an operation. Without a body it is a GET: the runtime then makes no stream for it. */
export function operationInit(
  operation: Operation,
  body?: string,
): { method: string; headers: Record<string, string>; body?: string } {
  const headers = { [operationHeader]: asciiJson(JSON.stringify(operation)) }
  return body === undefined ? { method: 'GET', headers } : { method: 'POST', headers, body }
}

/** Whether an inner request has an operation. */
export const hasOperation = (request: Request): boolean => request.headers.has(operationHeader)

/** Returns the operation of an inner request. It is not validated, because only the Worker sends inner requests. */
export function operationOf(request: Request): Operation {
  return JSON.parse(request.headers.get(operationHeader) ?? 'null') as Operation
}
