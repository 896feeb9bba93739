/** Sends one POST to a server of a comparison. */
import { type Agent, request } from 'node:https'
import type { Peer } from '../peers.ts'

/** Returns the status and the body of the response. */
export function post({ url, token }: Peer, agent: Agent, path: string, body: string): Promise<{ status: number; text: string }> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((done, failed) => {
    const sent = request(url + path, { method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', failed)
    sent.end(body)
  })
}
