/** Serves conditional and range requests for a document. Follows RFC 9110, sections 13 and 14, as Go's http.ServeContent does. */
import { type ByteRange, readRanges } from './byte-ranges.ts'

type Headers = Readonly<Record<string, string>>

/** The document to serve. */
export interface Content {
  /** The entity tag, with its quotes. */
  readonly tag?: string
  /** The time of its last modification, in milliseconds since the epoch. */
  readonly modified: number
  readonly headers: Headers
  readonly contentType: string
  /** The content encoding of `whole`. */
  readonly contentEncoding?: string
  bytes(): Promise<Uint8Array>
  /** Returns the body of a response without a range, possibly compressed. */
  whole(): Promise<BodyInit>
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/** Whether a list of entity tags contains this one. Weak tags match as strong ones. */
function hasTag(list: string, tag: string | undefined): boolean {
  const tags = list.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return tags.includes('*') || (tag !== undefined && tags.includes(tag))
}

/** Whether the document is newer than the date in a header; undefined if the header has no date. */
function isModifiedSince(header: string | null, modified: number): boolean | undefined {
  const since = header === null ? Number.NaN : Date.parse(header)
  return Number.isNaN(since) ? undefined : seconds(modified) > seconds(since)
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Evaluates the conditions. Returns 412 or 304, or undefined if the document is to be sent. */
function refusalOf(request: Request, { tag, modified }: Content): 304 | 412 | undefined {
  const { headers } = request
  const match = headers.get('if-match')
  // If-Match needs a strong comparison, in which a weak tag never matches.
  if (
    match !== null
      ? !hasTag(match.replace(/W\/"[^"]*"/g, ''), tag)
      : isModifiedSince(headers.get('if-unmodified-since'), modified)
  ) {
    return 412
  }
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== null) {
    if (!hasTag(noneMatch, tag)) return undefined
    return isRead(request) ? 304 : 412
  }
  return isRead(request) && isModifiedSince(headers.get('if-modified-since'), modified) === false ? 304 : undefined
}

/** Whether the ranges apply: If-Range is missing or matches the document. */
function isSame(request: Request, { tag, modified }: Content): boolean {
  const condition = request.headers.get('if-range')
  if (condition === null || !isRead(request)) return true
  return condition === tag || seconds(Date.parse(condition)) === seconds(modified)
}

const rangeText = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end - 1}/${size}`

/** Returns a body with several parts, and its media type (RFC 9110, section 14.6). */
function multipart(bytes: Uint8Array<ArrayBuffer>, ranges: readonly ByteRange[], contentType: string): [Blob, string] {
  const boundary = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '').slice(0, 60)
  const parts = ranges.flatMap((range, place) => [
    `${place === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: ${rangeText(range, bytes.length)}\r\nContent-Type: ${contentType}\r\n\r\n`,
    bytes.subarray(range.start, range.end),
  ])
  return [new Blob([...parts, `\r\n--${boundary}--\r\n`]), `multipart/byteranges; boundary=${boundary}`]
}

async function servePart(content: Content, header: string, all: Headers): Promise<Response | undefined> {
  const bytes = new Uint8Array(await content.bytes())
  const ranges = readRanges(header, bytes.length)
  if (typeof ranges === 'string') {
    const outside = ranges === 'invalid range' ? {} : { 'Content-Range': `bytes */${bytes.length}` }
    const text = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' }
    return new Response(`${ranges}\n`, { status: 416, headers: { ...content.headers, ...outside, ...text } })
  }
  const [first, second] = ranges
  if (first === undefined) return undefined
  if (second === undefined) {
    const headers = { ...all, 'Content-Range': rangeText(first, bytes.length), 'Content-Type': content.contentType }
    return new Response(bytes.subarray(first.start, first.end), { status: 206, headers })
  }
  const [body, type] = multipart(bytes, ranges, content.contentType)
  return new Response(body, { status: 206, headers: { ...all, 'Content-Type': type } })
}

/** Returns the response to a request for the document, for any method. */
export async function serveContent(request: Request, content: Content): Promise<Response> {
  const { tag, modified, headers, contentType, contentEncoding } = content
  const tagged = tag === undefined ? headers : { ...headers, ETag: tag }
  const dated = { ...tagged, 'Last-Modified': new Date(modified).toUTCString() }
  const refusal = refusalOf(request, content)
  if (refusal === 304) return new Response(null, { status: 304, headers: tag === undefined ? dated : tagged })
  if (refusal === 412) return new Response(null, { status: 412, headers: { ...dated, 'Content-Type': contentType } })
  const all = { ...dated, 'Accept-Ranges': 'bytes' }
  const range = request.headers.get('range') ?? ''
  const part = range === '' || !isSame(request, content) ? undefined : await servePart(content, range, all)
  if (part !== undefined) return part
  const encoding = contentEncoding === undefined ? {} : { 'Content-Encoding': contentEncoding }
  return new Response(await content.whole(), {
    headers: { ...all, 'Content-Type': contentType, ...encoding },
    encodeBody: 'manual',
  })
}
