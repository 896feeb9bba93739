/** Messages as the release before the protocol tables sent them: this release reads each, and sends the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { controlProtocol } from '../../src/clusters/control-protocol.ts'
import { exchange, type Handlers, type Message, type Protocol, Receiver } from '../../src/clusters/message.ts'
import { objectProtocol } from '../../src/clusters/object-protocol.ts'
import { collectionUrl, protocolPath } from '../../src/clusters/protocol.ts'

interface RecordedMessage {
  readonly object: 'control' | 'collection'
  readonly method: string
  /** The path below that of the protocol, with the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const lines = readFileSync(join(import.meta.dirname, 'messages.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
const recorded = lines.map((line) => JSON.parse(line) as RecordedMessage).filter((line) => 'method' in line)

const requestOf = ({ method, path, headers = {}, body }: RecordedMessage): Request =>
  new Request(collectionUrl + path, { method, headers, ...(body !== undefined && { body }) })

/** Returns the name of the message that a request is, and the question that its handler gets. */
async function received<P extends Protocol>(protocol: P, request: Request): Promise<{ name: string; question: unknown }> {
  let call: { name: string; question: unknown } | undefined
  const handlers = new Proxy({} as Handlers<P>, {
    get: (_, name) => (question: unknown) => {
      call = { name: String(name), question }
    },
  })
  // The handlers answer nothing, which some answers cannot be written from.
  const answer = await new Receiver(protocol).answer(request, handlers).catch((error: unknown) => error)
  if (call === undefined) throw new Error(`the message was not read: ${answer}`)
  return call
}

/** Returns what a request says, without the order of its query. */
async function contents(request: Request) {
  const { pathname, searchParams } = new URL(request.url)
  const body = await request.text()
  return {
    method: request.method,
    path: pathname.slice(protocolPath.length),
    query: [...searchParams].map(String).sort(),
    body: body.startsWith('{') && !body.endsWith('\n') ? JSON.parse(body) : body,
    operation: request.headers.get('edgeplane-operation'),
    forward: request.headers.get('edgeplane-forward'),
  }
}

/** Sends a question as this release does. */
async function sent(message: Message<unknown, unknown>, question: unknown): Promise<Request> {
  let request: Request | undefined
  const stub = {
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      request = new Request(input, init)
      return new Response(null)
    },
  }
  await exchange(stub as Parameters<typeof exchange>[0], message, question)
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

describe.each(recorded)('$method $path', (line) => {
  test(`of ${line.object} is read, and sent again, as it was [M4]`, async () => {
    const protocol: Protocol = line.object === 'control' ? controlProtocol : objectProtocol
    const { name, question } = await received(protocol, requestOf(line))
    const again = await sent(protocol[name] as unknown as Message<unknown, unknown>, question)
    const before = await contents(requestOf(line))
    // A read of the policy without a state means the committed one.
    const added = line.path.startsWith('/policy') && !line.path.includes('state=') ? ['state,committed'] : []
    expect(await contents(again)).toEqual({ ...before, query: [...before.query, ...added].sort() })
  })
})

test('every message is recorded', async () => {
  const names = await Promise.all(recorded.map(async (line) => (await received(controlProtocol, requestOf(line))).name))
  expect(new Set(names)).toEqual(new Set(Object.keys(controlProtocol)))
})
