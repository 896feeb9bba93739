import { expect, test } from 'vitest'
import { HttpConnection } from './http-exchange.ts'

/** Returns the text of the response that arrives in these parts, or the error of one that is not HTTP. */
async function responseTo(...parts: readonly string[]): Promise<string> {
  const rest = parts.map((part) => new TextEncoder().encode(part))
  const connection = new HttpConnection({ read: async () => rest.shift(), write: async () => undefined })
  const request = { method: 'GET', path: '/', host: 'a', headers: [], body: null }
  try {
    return await (await connection.exchange(request, () => undefined)).text()
  } catch (error) {
    return String(error)
  }
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

test('chunks arrive in any division, without trailers', async () => {
  expect(await responseTo(chunked, '3;a=b\r\non', 'e\r\n3\r\ntwo\r\n0\r\nx-sum: 1\r\n', '\r\n')).toBe('onetwo')
})

test.each(['1x', '-1', '', '0x1', 'ffffffffffffff'])('a chunk of length %j is not read', async (length) => {
  expect(await responseTo(chunked, `${length}\r\n1\r\n0\r\n\r\n`)).toContain('invalid byte in chunk length')
})

test('a few informational responses are skipped, and endless ones are not waited for', async () => {
  const more = 'HTTP/1.1 100 Continue\r\n\r\n'
  const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  expect(await responseTo(more.repeat(5), final)).toBe('ok')
  expect(await responseTo(more.repeat(6), final)).toContain('too many 1xx informational responses')
})
