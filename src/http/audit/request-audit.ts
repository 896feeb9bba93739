/** The audit record of one request while it passes the handler chain. Follows apiserver's audit filters. */
import type { Attributes, Decision } from '../../auth/attributes.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { OperationObserver } from '../../clusters/collection-client.ts'
import type { DeleteOptions, Operation } from '../../clusters/operation.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import { statusOfClient } from '../../net/proxied-spdy.ts'
import { sourceAddresses } from '../client-address.ts'
import { isLongRunning } from '../long-running.ts'
import type { RequestInfo } from '../request-info.ts'
import type { AuditEvent, ObjectReference, ResponseStatus } from './event.ts'
import type { AuditLog } from './log.ts'
import { readText, recorded } from './objects.ts'
import { type Level, levels, type Recording, type Stage } from './policy.ts'

/** The properties of a request that are known before authentication. */
export interface AuditedRequest {
  readonly request: Request
  /** Path and query with the cluster in the path, also if the client has named the cluster by its host. */
  readonly uri: string
  readonly info: RequestInfo
  readonly auditId: string
  readonly receivedAt: number
  /** Keeps the request alive until this background work is done. */
  readonly waitUntil: (work: Promise<unknown>) => void
}

const maximumUserAgent = 1024

/** The beginning of the names of annotations with patches of webhooks. */
const patchAnnotations = 'patch.webhook.admission.k8s.io/'

/** Verbs whose response is a Status, or may be. A Status is recorded at every level. */
const answeredWithStatus: ReadonlySet<Operation['verb']> = new Set(['delete', 'bind', 'evict'])

/** Verbs whose body is recorded as sent. Bodies of other verbs are objects; `requested` records them after decoding. */
const sendsDocument: ReadonlySet<Operation['verb']> = new Set(['patch', 'apply'])

function truncated(userAgent: string): string {
  return userAgent.length > maximumUserAgent ? `${userAgent.slice(0, maximumUserAgent)}...TRUNCATED` : userAgent
}

function referenceOf(info: RequestInfo): ObjectReference | undefined {
  if (!info.isResource) return undefined
  const { resource, namespace, name, group, version, subresource } = info
  return { resource, namespace, name, uid: '', apiGroup: group, apiVersion: version, resourceVersion: '', subresource }
}

/** Returns DeleteOptions as apiserver's audit log has them: with the internal apiVersion. */
function deleteOptionsOf({
  uid,
  resourceVersion,
  gracePeriodSeconds,
  orphanDependents,
  propagationPolicy,
}: DeleteOptions): object {
  const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion }
  const options = { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy }
  return { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...options }
}

/** Returns the fields of a Status that are recorded at every level. */
function statusOf({ status, message, reason, details }: JsonObject, code: number): ResponseStatus {
  const parts = { status, message, reason, details } as unknown as Omit<ResponseStatus, 'code'>
  const present = Object.entries(parts).filter(([, value]) => value !== undefined && value !== '')
  return { ...Object.fromEntries(present), code }
}

/** Begins the record of a request. Returns undefined for requests of level `None`. */
export function beginAudit(
  log: AuditLog,
  audited: AuditedRequest,
  user: User | undefined,
  attributes: Attributes,
): RequestAudit | undefined {
  const recording = log.recordingOf(user, attributes)
  return recording.level === 'None' ? undefined : new RequestAudit(log, audited, user, recording)
}

/** The record of one request. */
export class RequestAudit implements OperationObserver {
  readonly #log: AuditLog
  readonly #audited: AuditedRequest
  readonly #user: User | undefined
  readonly #recording: Recording
  readonly #userAgent: string
  readonly #annotations: Record<string, string> = {}
  #impersonated: User | undefined
  #reference: ObjectReference | undefined
  #status: ResponseStatus | undefined
  #requestObject: string | undefined
  #responseObject: string | undefined
  #stored: Promise<unknown> | undefined
  /** Resolves when the collection's response has been read. */
  #reading: Promise<void> | undefined

  constructor(log: AuditLog, audited: AuditedRequest, user: User | undefined, recording: Recording) {
    this.#log = log
    this.#audited = audited
    this.#user = user
    this.#recording = recording
    this.#userAgent = truncated(audited.request.headers.get('user-agent') ?? '')
    this.#reference = referenceOf(audited.info)
  }

  /** Emits the first event. @returns as AuditLog.write */
  received(): Promise<boolean> | undefined {
    return this.#emit('RequestReceived', this.#audited.receivedAt)
  }

  /** Counts the request as one that failed because its first event could not be stored. */
  rejected(): void {
    this.#log.rejected()
  }

  /** Resolves when the events so far are stored or lost; undefined if no sink lets requests wait. */
  get stored(): Promise<unknown> | undefined {
    return this.#stored
  }

  impersonated(user: User): void {
    this.#impersonated = user
  }

  decided({ allowed, reason, error }: Decision): void {
    if (!allowed && error !== undefined) {
      this.#annotations['authorization.k8s.io/reason'] = 'internal error'
      return
    }
    this.#annotations['authorization.k8s.io/decision'] = allowed ? 'allow' : 'forbid'
    this.#annotations['authorization.k8s.io/reason'] = reason
  }

  /** Records the id of an issued token. */
  issued(id: string): void {
    this.#annotations['authentication.kubernetes.io/issued-credential-id'] = `JTI=${id}`
  }

  /** Records that the requested kind is deprecated. */
  deprecated({ lifecycle }: Kind): void {
    this.#annotations['k8s.io/deprecated'] = 'true'
    if (lifecycle?.removed !== undefined) this.#annotations['k8s.io/removed-release'] = lifecycle.removed.join('.')
  }

  /** Records annotations of admission. Patches of webhooks are part of the request, and recorded only with it. */
  annotated(annotations: Readonly<Record<string, string>>): void {
    const isRecorded = (key: string): boolean => !key.startsWith(patchAnnotations) || this.#holds('Request')
    Object.assign(this.#annotations, Object.fromEntries(Object.entries(annotations).filter(([key]) => isRecorded(key))))
  }

  /** Records the decoded body: an object of this kind. */
  requested({ kind, apiVersion }: Kind, object: KubernetesObject): void {
    this.#refer(object)
    if (this.#holds('Request')) this.#record({ kind, apiVersion, ...object })
  }

  /** Observes an operation that is sent to a collection. */
  sent(operation: Operation, body: string | undefined): void {
    if (!this.#holds('Request')) return
    if (sendsDocument.has(operation.verb)) this.#requestObject = body
    const deletes = operation.verb === 'delete' || operation.verb === 'deletecollection'
    if (deletes && this.#audited.request.body !== null) this.#record(deleteOptionsOf(operation.delete))
  }

  /** Observes the response of a collection. Returns the response for the client. */
  answered(operation: Operation, response: Response): Response {
    if (operation.verb === 'watch' || response.body === null) return response
    const whole = this.#holds('RequestResponse')
    if (!whole && !answeredWithStatus.has(operation.verb)) return response
    const [forLog, forClient] = response.body.tee()
    this.#reading = readText(forLog)
      .then((text) => this.#answeredWith(text, response.status, whole))
      .catch(() => undefined)
    return new Response(forClient, response)
  }

  /** Records the Status of an error response. */
  refused(status: JsonObject): void {
    this.#status = statusOf(status, Number(status.code))
    if (this.#holds('RequestResponse')) this.#responseObject = JSON.stringify(status)
  }

  /** Emits the only event of a request that could not be authenticated. */
  unauthenticated(status: JsonObject): void {
    this.refused(status)
    this.#emit('ResponseStarted')
  }

  /** Emits the event of an unexpected error. */
  panicked(status: JsonObject): void {
    this.refused(status)
    this.#emit('Panic')
  }

  /** Emits the events of the response. Returns the response for the client, from which the end of a long one is observed. */
  respond(response: Response): Response {
    this.#status ??= { code: statusOfClient(response) }
    const { info } = this.#audited
    const lasts = info.isResource && (info.verb === 'watch' || isLongRunning(info))
    if (lasts) this.#emit('ResponseStarted')
    if (lasts && response.body !== null && response.ok) return this.#untilEnd(response)
    // A WebSocket has no body whose end could be observed.
    if (response.webSocket != null) return response
    if (this.#reading === undefined) return this.#respondNow(response)
    this.#audited.waitUntil(this.#reading.then(() => this.#emit('ResponseComplete')))
    return response
  }

  #respondNow(response: Response): Response {
    if (this.#responseObject !== undefined || !this.#holds('RequestResponse') || response.body === null || !isJson(response)) {
      this.#emit('ResponseComplete')
      return response
    }
    // Responses that the Worker renders itself, such as discovery and reviews.
    const [forLog, forClient] = response.body.tee()
    const read = readText(forLog).then((text) => this.#answeredWith(text, response.status, true))
    this.#audited.waitUntil(read.catch(() => undefined).then(() => this.#emit('ResponseComplete')))
    return new Response(forClient, response)
  }

  #untilEnd(response: Response): Response {
    if (response.body === null || this.#recording.omitStages.includes('ResponseComplete')) return response
    const { readable, writable } = new IdentityTransformStream()
    const ended = response.body.pipeTo(writable).catch(() => undefined)
    this.#audited.waitUntil(ended.then(() => this.#emit('ResponseComplete')))
    return new Response(readable, response)
  }

  #answeredWith(text: string | undefined, code: number, whole: boolean): void {
    if (text === undefined) {
      this.#annotations['audit.k8s.io/truncated'] = 'true'
      return
    }
    if (text.startsWith('{"kind":"Status",')) this.#status = statusOf(JSON.parse(text) as JsonObject, code)
    if (whole) this.#responseObject = recorded(text, this.#recording.omitManagedFields)
  }

  #record(object: object): void {
    this.#requestObject = recorded(JSON.stringify(object), this.#recording.omitManagedFields)
  }

  /** Completes the objectRef with the object's metadata that the path does not contain. */
  #refer({ metadata }: KubernetesObject): void {
    if (this.#reference === undefined) return
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
    const known = this.#reference
    this.#reference = {
      ...known,
      namespace: known.namespace || namespace,
      name: known.name || name,
      uid,
      resourceVersion,
    }
  }

  #holds(level: Level): boolean {
    return levels.indexOf(this.#recording.level) >= levels.indexOf(level)
  }

  #emit(stage: Stage, stageAt = Date.now()): Promise<boolean> | undefined {
    if (this.#recording.omitStages.includes(stage)) return undefined
    const { request, uri, info, auditId, receivedAt, waitUntil } = this.#audited
    const event: AuditEvent = {
      level: this.#recording.level,
      auditID: auditId,
      stage,
      requestURI: uri,
      verb: info.verb,
      user: this.#user,
      impersonatedUser: this.#impersonated,
      sourceIPs: sourceAddresses(request),
      userAgent: this.#userAgent,
      objectRef: this.#reference,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      requestReceivedAt: receivedAt,
      stageAt,
      annotations: { ...this.#annotations },
    }
    const stored = this.#log.write(event, waitUntil)
    this.#stored = stored
    return stored
  }
}

const isJson = (response: Response): boolean => response.headers.get('content-type')?.startsWith('application/json') ?? false
