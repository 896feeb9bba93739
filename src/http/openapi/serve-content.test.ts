/** Conditional and range requests for documents, compared with kube-apiserver 1.36.3. */
import { expect, test } from 'vitest'
import { serveOpenApi } from './serve.ts'

const path = '/openapi/v3/version'

async function answered(headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> {
  const response = await serveOpenApi(new Request(`https://host${path}`, { method, headers }), path)
  if (response === undefined) throw new Error(`${path} is not served`)
  return response
}

const whole = await answered()
const text = await whole.text()
const [tag = '', modified = ''] = [whole.headers.get('etag'), whole.headers.get('last-modified')].map((value) => value ?? '')
const past = 'Mon, 01 Jan 2001 00:00:00 GMT'
const future = 'Fri, 01 Jan 2100 00:00:00 GMT'

test('a document has Accept-Ranges and Last-Modified', () => {
  expect(whole.headers.get('accept-ranges')).toBe('bytes')
  expect(Math.abs(Date.now() - Date.parse(modified))).toBeLessThan(60_000)
})

test.each([
  ['bytes=0-9', text.slice(0, 10), '0-9'],
  ['bytes=-5', text.slice(-5), `${text.length - 5}-${text.length - 1}`],
  ['bytes= 5 - ', text.slice(5), `5-${text.length - 1}`],
  ['bytes=10-99999999', text.slice(10), `10-${text.length - 1}`],
  ['bytes=0-0,99999999-', text.slice(0, 1), '0-0'],
])('Range: %s responds with 206 and this part', async (range, part, contentRange) => {
  for (const method of ['GET', 'POST']) {
    const response = await answered({ range }, method)
    expect([response.status, await response.text()]).toEqual([206, part])
    expect(response.headers.get('content-range')).toBe(`bytes ${contentRange}/${text.length}`)
    expect(response.headers.get('content-type')).toBe('application/json')
  }
})

test('several ranges respond with multipart/byteranges; ranges longer than the document with the whole document', async () => {
  const response = await answered({ range: 'bytes=0-3,10-12' })
  const type = response.headers.get('content-type') ?? ''
  const [, boundary] = /^multipart\/byteranges; boundary=([0-9a-f]{60})$/.exec(type) ?? []
  const part = (range: string, content: string): string =>
    `--${boundary}\r\nContent-Range: bytes ${range}/${text.length}\r\nContent-Type: application/json\r\n\r\n${content}\r\n`
  expect([response.status, await response.text()]).toEqual([
    206,
    `${part('0-3', text.slice(0, 4))}${part('10-12', text.slice(10, 13))}--${boundary}--\r\n`,
  ])
  expect((await answered({ range: 'bytes=0-,0-' })).status).toBe(200)
})

test.each([
  ['bytes=99999999-', 'invalid range: failed to overlap\n', `bytes */${text.length}`],
  ['chars=0-1', 'invalid range\n', null],
  ['bytes=a', 'invalid range\n', null],
  ['bytes=5-2', 'invalid range\n', null],
  ['bytes=--5', 'invalid range\n', null],
])('Range: %s responds with 416', async (range, error, contentRange) => {
  const response = await answered({ range })
  expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([416, error, contentRange])
  expect(response.headers.get('etag')).toBeNull()
})

test.each([
  ['if-none-match', tag, 304],
  ['if-none-match', `"x", W/${tag}`, 304],
  ['if-none-match', '*', 304],
  ['if-none-match', '"x"', 200],
  ['if-modified-since', modified, 304],
  ['if-modified-since', future, 304],
  ['if-modified-since', past, 200],
  ['if-match', '"x"', 412],
  ['if-match', `W/${tag}`, 412],
  ['if-match', tag, 200],
  ['if-unmodified-since', past, 412],
  ['if-unmodified-since', future, 200],
])('%s: %s responds with %i', async (name, value, status) => {
  const response = await answered({ [name]: value })
  expect([response.status, await response.text()]).toEqual([status, status === 200 ? text : ''])
})

test('an entity tag has precedence over a date', async () => {
  expect((await answered({ 'if-none-match': '"x"', 'if-modified-since': future })).status).toBe(200)
  expect((await answered({ 'if-match': tag, 'if-unmodified-since': past })).status).toBe(200)
})

test.each([
  [tag, 206],
  [modified, 206],
  ['"x"', 200],
  [past, 200],
])('Range with If-Range: %s responds with %i', async (condition, status) => {
  expect((await answered({ range: 'bytes=0-0', 'if-range': condition })).status).toBe(status)
})
