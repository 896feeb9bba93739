/** A request as raw bytes, and as a command line to repeat it. */
import { tenantVariable } from './tenant.ts'

export interface AttackRequest {
  readonly method: string
  /** Path and query, as they are sent. */
  readonly target: string
  /** Without content-length, transfer-encoding, host and authorization. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | undefined
  /** The lengths of the body's chunks; undefined if content-length is sent. */
  readonly chunks: readonly number[] | undefined
  /** Whether the administrator's token is omitted. A header of the request may replace it. */
  readonly isAnonymous: boolean
}

/** The server of a request. */
export interface Target {
  readonly url: URL
  readonly token: string
  /** The token of the administrator of a named cluster. */
  readonly tenant?: string | undefined
}

function chunked(body: Buffer, lengths: readonly number[]): Buffer[] {
  const parts: Buffer[] = []
  let at = 0
  for (const length of [...lengths, body.length]) {
    const chunk = body.subarray(at, at + length)
    if (chunk.length === 0) continue
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
    at += chunk.length
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}

function allHeaders(request: AttackRequest, { url, token, tenant = '' }: Target): [string, string][] {
  const { headers, body, chunks, isAnonymous } = request
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const all: [string, string][] = [
    ['host', url.host],
    ...headers.map(([name, value]): [string, string] => [name, value.replace(tenantVariable, tenant)]),
  ]
  if (!isAnonymous && !given.has('authorization')) all.push(['authorization', `Bearer ${token}`])
  if (body !== undefined)
    all.push(chunks === undefined ? ['content-length', String(body.length)] : ['transfer-encoding', 'chunked'])
  return all
}

/** Returns the bytes of the request in HTTP/1.1. */
export function bytesOf(request: AttackRequest, to: Target): Buffer {
  const { method, target, body, chunks } = request
  const lines = allHeaders(request, to).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  if (body === undefined) return head
  return Buffer.concat([head, ...(chunks === undefined ? [body] : chunked(body, chunks))])
}

/** Whether HTTP/1.1 allows the request line and the headers; otherwise the server may close the connection. */
export function isHttp({ method, target, headers }: AttackRequest): boolean {
  const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
  if (!token.test(method) || !/^\/[\x21-\x7e]*$/.test(target)) return false
  return headers.every(([name, value]) => token.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
}

/** Whether the response may be endless: a watch, or the log of a running container. */
export const mayStream = ({ target }: AttackRequest): boolean =>
  /[?&;](?:watch|follow)\b|%77atch|\/watch(?:\/|$|\?)/i.test(target)

const quoted = (text: string): string => {
  const escaped = text.replace(/[^\x20-\x7e]|['\\]/g, (character) =>
    Array.from(Buffer.from(character, 'latin1'), (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  return escaped === text ? `'${text}'` : `$'${escaped}'`
}

/** The maximum length of a body in a command line, in bytes; a longer one is written in base64. */
const shownBody = 100_000

/** Returns a command line that sends the same request, except for its chunks. */
export function commandOf(request: AttackRequest, url: string): string {
  const { method, target, headers, body, isAnonymous, chunks } = request
  const parts = ['curl -sk --path-as-is', `-X ${quoted(method)}`]
  if (!isAnonymous) parts.push('-H "authorization: Bearer $TOKEN"')
  for (const [name, value] of headers) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (chunks !== undefined) parts.push("-H 'transfer-encoding: chunked'")
  const command = [...parts, ...(body === undefined ? [] : ['--data-binary @-']), quoted(`${url}${target}`)].join(' ')
  if (body === undefined) return command
  const text = body.subarray(0, shownBody).toString('base64')
  return `echo ${text}${body.length > shownBody ? '…' : ''} | base64 -d | ${command}`
}

/** The request of an innocent client beside an attack: cheap, and open to everyone. */
export const versionRequest: AttackRequest = {
  method: 'GET',
  target: '/version',
  headers: [],
  body: undefined,
  chunks: undefined,
  isAnonymous: true,
}
