/** Faults that a test injects: the next requests that match a rule are delayed, or fail as those of kube-apiserver do. */
import type { JsonObject } from '../go/json-value.ts'
import {
  ApiError,
  badRequest,
  conflict,
  expired,
  forbidden,
  internalError,
  notFound,
  timeout,
  tooManyRequestsMessage,
} from '../meta/errors.ts'

/** The properties of a request that rules name. */
export interface FaultTarget {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly user: string
  readonly userAgent: string
}

/** A rule. A field that is absent matches any value; `userAgent` matches a part of the header. */
export interface FaultRule extends Partial<FaultTarget> {
  /** The code of the response; absent: the request succeeds after the delay. */
  readonly code?: number
  /** Milliseconds before the request is handled. */
  readonly delay?: number
  /** The number of requests; 1 by default. */
  readonly times?: number
}

/** A rule with its id and the number of requests that it will still change. */
export interface Fault {
  readonly id: number
  readonly rule: FaultRule
  readonly left: number
}

const mostFaults = 1000
const longestDelay = 60_000
const mostTimes = 1_000_000

const textFields = ['verb', 'group', 'resource', 'subresource', 'namespace', 'name', 'user', 'userAgent'] as const

const modified = 'the object has been modified; please apply your changes to the latest version and try again'

/** The errors by their code. Their messages are those with which kube-apiserver gives the code most often. */
const errors: Readonly<Record<number, (target: FaultTarget) => ApiError>> = {
  400: () => badRequest('the server rejected our request for an unknown reason'),
  401: () => new ApiError(401, 'Unauthorized', 'Unauthorized'),
  403: (target) => forbidden(target, target.name, 'a fault that a test injected'),
  404: (target) => notFound(target, target.name),
  409: (target) => conflict(target, target.name, modified),
  410: () => expired('The resourceVersion for the provided watch is too old.'),
  429: () => new ApiError(429, 'TooManyRequests', tooManyRequestsMessage, { retryAfterSeconds: 1 }),
  500: () => internalError('a fault that a test injected'),
  503: () => new ApiError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request'),
  504: () => timeout('request did not complete within the allotted timeout'),
}

/** Returns the error of a fault. */
export const faultError = (code: number, target: FaultTarget): ApiError | undefined => errors[code]?.(target)

/**
 * Returns the rule in a request body.
 * @throws ApiError 400
 */
export function readFaultRule(body: JsonObject): FaultRule {
  const known = new Set<string>([...textFields, 'code', 'delay', 'times'])
  const unknown = Object.keys(body).find((key) => !known.has(key))
  if (unknown !== undefined) throw badRequest(`unknown field ${JSON.stringify(unknown)} of a fault`)
  for (const field of textFields) {
    if (body[field] !== undefined && typeof body[field] !== 'string') throw badRequest(`${field}: must be a string`)
  }
  const { code, delay, times } = body
  if (code !== undefined && !Object.hasOwn(errors, String(code))) {
    throw badRequest(`code: must be one of ${Object.keys(errors).join(', ')}`)
  }
  requireNumber('delay', delay, longestDelay)
  requireNumber('times', times, mostTimes)
  if (code === undefined && delay === undefined) throw badRequest('a fault has a code, a delay or both')
  return body as FaultRule
}

function requireNumber(field: string, value: unknown, maximum: number): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= maximum)) return
  throw badRequest(`${field}: must be a whole number from 1 to ${maximum}`)
}

function matches(rule: FaultRule, target: FaultTarget): boolean {
  return textFields.every((field) => {
    const wanted = rule[field]
    if (wanted === undefined) return true
    return field === 'userAgent' ? target.userAgent.includes(wanted) : target[field] === wanted
  })
}

/** The faults of one cluster. */
export class Faults {
  readonly #faults = new Map<number, { readonly rule: FaultRule; left: number }>()
  #last = 0

  /** Adds a fault. @throws ApiError 429 if there are too many */
  add(rule: FaultRule): Fault {
    if (this.#faults.size >= mostFaults) throw new ApiError(429, 'TooManyRequests', `there are ${mostFaults} faults already`)
    const fault = { rule, left: rule.times ?? 1 }
    this.#faults.set(++this.#last, fault)
    return { id: this.#last, ...fault }
  }

  list(): Fault[] {
    return [...this.#faults].map(([id, fault]) => ({ id, ...fault }))
  }

  clear(): void {
    this.#faults.clear()
  }

  /** Takes the first fault that matches the request, and counts it. */
  take(target: FaultTarget): Fault | undefined {
    for (const [id, fault] of this.#faults) {
      if (!matches(fault.rule, target)) continue
      fault.left--
      if (fault.left === 0) this.#faults.delete(id)
      return { id, ...fault }
    }
    return undefined
  }
}
