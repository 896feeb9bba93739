/** Plays the matrix against a server: each user has its own token. */
import type { IncomingMessage } from 'node:http'
import { type Case, custom, home, other, own } from './case.ts'
import type { Area } from './matrix.ts'
import type { Open } from './open.ts'
import { creations, laterCreations } from './setup.ts'
import { users } from './users.ts'

/** The compared parts of a response: status, content type, and the body or its part that is the same on all servers. */
export interface Answered {
  readonly status: number
  readonly type: string
  readonly body: unknown
}

/** The number of concurrent requests. */
const lanes = 8

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

/** Runs the work for all items, with limited concurrency. */
async function inLanes<T>(items: Iterable<T>, work: (item: T) => Promise<void>, count = lanes): Promise<void> {
  const queue = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: count }, lane))
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Replaces the server's own identities in a text. */
const settled = (text: string): string =>
  text
    .replace(uid, '<uid>')
    .replace(/"credential-id":\["[^"]*"\]/g, '')
    .replace(/(error id )\S+/g, '$1<id>')

interface Body {
  readonly kind?: string
  readonly code?: number
  readonly metadata?: { readonly name?: string }
  readonly status?: {
    readonly userInfo?: {
      readonly username: string
      readonly groups?: readonly string[]
      readonly extra?: Record<string, unknown>
    }
  }
  readonly message?: string
  readonly reason?: string
  readonly details?: unknown
}

/** Returns the compared part of a body; of objects and lists, which differ between servers, only their types. */
function comparedBody(status: number, type: string, text: string): unknown {
  if (!type.startsWith('application/json')) return status < 300 ? '' : settled(text)
  const body = JSON.parse(text) as Body
  if (status >= 300) {
    const { reason, message, details } = JSON.parse(settled(text)) as Body
    return body.kind === 'Status' ? [reason ?? '', message, ...(details === undefined ? [] : [details])] : settled(text)
  }
  const user = body.status?.userInfo
  if (user === undefined) return (body.kind ?? '').replace(/^$/, 'a document')
  const { 'authentication.kubernetes.io/credential-id': _own, ...extra } = user.extra ?? {}
  return { kind: body.kind, user: { ...user, uid: undefined, extra } }
}

/** A server with the users of the matrix. */
export class Player {
  readonly #open: Open
  readonly #tokens = new Map<string, string>()

  constructor(open: Open) {
    this.#open = open
  }

  /** Creates the objects of the matrix, unless they exist. */
  async prepare(): Promise<void> {
    for (const creation of creations()) await this.#create(creation)
    await this.#await(`${custom}/widgets`)
    await this.#await(`${custom}/gadgets`)
    for (const namespace of [own, other]) await this.#await(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)
    await inLanes(laterCreations(), (creation) => this.#create(creation))
    await inLanes(Object.keys(users), async (user) => {
      const response = await this.#open(`/api/v1/namespaces/${home}/serviceaccounts/${user}/token`, {
        method: 'POST',
        body: { spec: {} },
      })
      const { status } = JSON.parse(await textOf(response)) as { status: { token: string } }
      this.#tokens.set(user, status.token)
    })
  }

  async #create({ method, path, body }: Pick<Case, 'method' | 'path' | 'body'>): Promise<void> {
    const response = await this.#open(path, { method, body })
    const text = await textOf(response)
    if (response.statusCode !== 201 && response.statusCode !== 409) throw new Error(`${method} ${path}: ${text}`)
  }

  /** Repeats a request until it succeeds. */
  async #await(path: string): Promise<void> {
    for (;;) {
      const response = await this.#open(path, { method: 'GET' })
      await textOf(response)
      if (response.statusCode === 200) return
    }
  }

  /** Plays an area, and returns the responses by title. */
  async play({ cases, inTurn }: Area): Promise<Map<string, Answered>> {
    const answers = new Map<string, Answered>()
    const answer = async ([title, one]: readonly [string, Case]): Promise<void> =>
      void answers.set(title, await this.#answer(one))
    await inLanes(cases, answer, inTurn ? 1 : lanes)
    return answers
  }

  async #answer({ user, method, path, headers, body, undo }: Case): Promise<Answered> {
    const token = user === 'anonymous' ? false : this.#tokens.get(user)
    const response = await this.#open(path, {
      method,
      ...(headers !== undefined && { headers }),
      body,
      ...(token !== undefined && { token }),
    })
    const { statusCode: status = 0 } = response
    const type = response.headers['content-type'] ?? ''
    const isStream = status === 200 && method !== 'HEAD' && /\/v1\/watch\/|[?&]watch(=(?!0|false)[^&]*)?(&|$)/i.test(path)
    if (isStream) {
      response.destroy()
      return { status, type, body: 'a stream' }
    }
    const answered = { status, type, body: comparedBody(status, method === 'HEAD' ? '' : type, await textOf(response)) }
    if (undo !== undefined && status < 300) await textOf(await this.#open(undo, { method: 'DELETE' }))
    return answered
  }
}
