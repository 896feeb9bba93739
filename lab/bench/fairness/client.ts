/** A client that measures how long its responses take and, unless they are needed, drops them. */
import { finished } from 'node:stream/promises'
import { clientOf, type RequestOptions } from '../../../test/client.ts'

export interface Answered {
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

interface TimedOptions extends RequestOptions {
  /** Whether the text of the response is needed. */
  readonly keep?: boolean
}

export type TimedClient = (path: string, asked?: TimedOptions) => Promise<Answered>

/** Makes a client of a server on this machine, whose certificate is not verified. Its patches are merge patches. */
export function timedClientOf(url: string, token: string): TimedClient {
  const client = clientOf({ url, token })
  return async (path, { keep = true, ...asked } = {}) => {
    const patch = asked.method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    const options = { ...asked, headers: { ...patch, ...asked.headers } }
    const began = performance.now()
    if (keep) {
      const { status, text } = await client.send(path, options)
      return { status, text, milliseconds: performance.now() - began }
    }
    const response = await client.open(path, options)
    await finished(response.resume())
    return { status: response.statusCode ?? 0, text: '', milliseconds: performance.now() - began }
  }
}
