/** Plays the steps of a scenario against a server. */
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonValue } from '../src/go/json-value.ts'
import type { Answer, RequestStep, Scenario, Headers as StepHeaders, StopStep, WatchStep } from './scenario.ts'
import { Variables } from './variables.ts'
import { Watch } from './watch.ts'

// Each server has a certificate of its own.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

/** A server, and the token of its administrator. */
export interface Access {
  readonly url: string
  readonly token: string
  /** The longest pause between two steps in milliseconds; absent for those of the scenario, which kube-apiserver needs. */
  readonly maxPause?: number
}

/** The time limits of requests and of conditions in milliseconds, and the time between two requests of a condition. */
const maxRequest = 30_000
const maxUntil = 15_000
const pollInterval = 100

/** The namespace of a scenario, which is created before its steps. */
const namespaces = '/api/v1/namespaces'

interface Reply {
  readonly response: Response
  readonly body: JsonValue
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

/** Returns the value at a path such as `items.0.metadata.name`; `~` stands for a dot within a key. */
const valueAt = (value: JsonValue, path: string): JsonValue | undefined =>
  path
    .split('.')
    .reduce<JsonValue | undefined>(
      (parent, key) => (parent as Record<string, JsonValue | undefined> | null | undefined)?.[key.replaceAll('~', '.')],
      value,
    )

/** One replay of a scenario. */
class Replay {
  readonly #access: Access
  readonly #variables: Variables
  readonly #watches = new Map<string, Watch>()

  constructor(name: string, access: Access) {
    this.#access = access
    this.#variables = new Variables(name)
  }

  get namespace(): string {
    return this.#variables.namespace
  }

  /** Runs a step; returns its answer, or the reason why there is no response. */
  async run(step: RequestStep | WatchStep | StopStep): Promise<Answer> {
    try {
      if ('watch' in step) return await this.#openWatch(step)
      return 'stop' in step ? await this.#stopWatch(step) : await this.#request(step)
    } catch (error) {
      return { failed: String(error instanceof Error ? (error.cause ?? error) : error) }
    }
  }

  /** Sends a request whose answer is not recorded. */
  async send(step: RequestStep): Promise<void> {
    await this.#send(step).catch(() => {})
  }

  /** Closes the watches that are still open. */
  close(): void {
    for (const watch of this.#watches.values()) watch.abort()
  }

  #headers(more: StepHeaders = {}): Headers {
    const { token } = this.#access
    const all = { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...more }
    return new Headers(
      Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, this.#variables.expandText(value)]])),
    )
  }

  #url(path: string): string {
    return this.#access.url.replace(/\/$/, '') + path
  }

  async #send({ do: request, headers, body, timeout = maxRequest }: RequestStep): Promise<Reply> {
    const [method = '', path = ''] = this.#variables.expandText(request).split(/ (.*)/s)
    const sent = body === undefined ? undefined : this.#variables.expand(body)
    const response = await fetch(this.#url(path), {
      method,
      headers: this.#headers({ ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers }),
      ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    return { response, body: parsed(await response.text()) }
  }

  #satisfies({ response, body }: Reply, { status, field = '', equals }: NonNullable<RequestStep['until']>): boolean {
    if (status !== undefined) return response.status === status
    const value = JSON.stringify(valueAt(body, field))
    return value === (equals === undefined ? undefined : JSON.stringify(this.#variables.expand(equals)))
  }

  async #request(step: RequestStep): Promise<Answer> {
    const { until, save = {}, ignore, statusOnly } = step
    const deadline = Date.now() + (until?.timeout ?? maxUntil)
    let reply = await this.#send(step)
    while (until !== undefined && !this.#satisfies(reply, until) && Date.now() <= deadline) {
      await pause(pollInterval)
      reply = await this.#send(step)
    }
    const { response, body } = reply
    for (const [name, path] of Object.entries(save)) this.#variables.set(name, valueAt(body, path))
    const warning = response.headers.get('warning')
    const retryAfter = response.headers.get('retry-after')
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      ...(warning && { warning: this.#variables.normaliseText(warning) }),
      ...(retryAfter && { retryAfter }),
      ...(!statusOnly && { body: this.#variables.normalise(body, ignore) }),
    }
  }

  async #openWatch({ watch: path, id, headers }: WatchStep): Promise<Answer> {
    const watch = await Watch.open(this.#url(this.#variables.expandText(path)), this.#headers(headers))
    this.#watches.set(id, watch)
    return { status: watch.response.status, contentType: watch.response.headers.get('content-type') }
  }

  async #stopWatch({ stop, events: count, timeout, sort = false, ignore, expectClosed }: StopStep): Promise<Answer> {
    const watch = this.#watches.get(stop)
    if (watch === undefined) throw new Error(`no watch ${stop}`)
    const { events, closed } = await watch.stop(count, timeout)
    if (sort) events.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    return { events: this.#variables.normalise(events, ignore), ...(expectClosed && { closed }) }
  }
}

/** Returns the text by which events are sorted: type and name. */
const orderOf = (event: JsonValue): string => `${valueAt(event, 'type')}${valueAt(event, 'object.metadata.name')}`

/**
 * Plays a scenario in a namespace of its own, and removes what it created.
 * @returns the answers of its steps without the pauses, in order
 */
export async function play(scenario: Scenario, access: Access): Promise<Answer[]> {
  const replay = new Replay(scenario.name, access)
  const hasNamespace = scenario.namespace !== false
  const { namespace } = replay
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  // Its resourceVersion is the first that answers number.
  if (hasNamespace) await replay.run({ do: `POST ${namespaces}`, body })
  const answers: Answer[] = []
  for (const step of scenario.steps) {
    if ('sleep' in step) await pause(Math.min(step.sleep, access.maxPause ?? step.sleep))
    else answers.push(await replay.run(step))
  }
  replay.close()
  if (hasNamespace) await replay.send({ do: `DELETE ${namespaces}/${namespace}` })
  for (const step of scenario.cleanup ?? []) await replay.send(step)
  return answers
}
