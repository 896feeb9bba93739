import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FramingError, RequestFraming } from './request-framing.ts'

const added = 'x-told: by us'
const framing = (): RequestFraming => new RequestFraming('x-told', () => added)
const text = (all: readonly Buffer[]): string => Buffer.concat(all).toString('latin1')
const pass = (raw: string): string => text(framing().push(Buffer.from(raw, 'latin1')))

const requests = [
  'GET /api HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'POST /api?x=%20 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /',
  'POST /api HTTP/1.1\r\ncontent-length: 0\r\n\r\n',
  'PUT / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nGET /\r\n1\r\n\r\r\n0\r\nX-Sum: 1\r\n\r\n',
  'PATCH / HTTP/1.1\r\ntransfer-encoding: chunked\r\nHost: a\r\n\r\n0\r\n\r\n',
]
const told = (raw: string): string => raw.replace('\r\n', `\r\n${added}\r\n`)

describe('requests of a connection', () => {
  test.each(requests)('%j has the header more, and nothing else changes', (raw) => expect(pass(raw)).toBe(told(raw)))

  test('are found however their bytes come', () => {
    const many = fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 5 })
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(many, cuts, (all, lengths) => {
        const [raw, by] = [Buffer.from(all.join(''), 'latin1'), framing()]
        const out: Buffer[] = []
        for (let at = 0, i = 0; at < raw.length; i++) {
          const length = lengths[i % lengths.length] ?? 1
          out.push(...by.push(raw.subarray(at, at + length)))
          at += length
        }
        expect(text(out)).toBe(all.map(told).join(''))
      }),
    )
  })

  test('pass as they came, whatever they are: nothing is lost, changed or added but the header', () => {
    const part = fc.oneof(fc.constantFrom(...requests, '\r\n', '\n', '0\r\n', 'GET / HTTP/1.1\r\n'), fc.string({ maxLength: 20 }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const [raw, by] = [parts.join(''), framing()]
        let out = ''
        try {
          for (const one of parts) out += text(by.push(Buffer.from(one, 'latin1')))
        } catch (error) {
          expect(error).toBeInstanceOf(FramingError)
        }
        // An empty line in front of a request is left out.
        const bare = (all: string): string => all.replaceAll('\r\n', '')
        expect(bare(raw).startsWith(bare(out.replaceAll(`${added}\r\n`, '')))).toBe(true)
      }),
    )
  })

  test('a body is never read as a request', () => {
    const hidden = 'GET /admin HTTP/1.1\r\nHost: a\r\n\r\n'
    const raw = `POST / HTTP/1.1\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`
    expect(pass(raw)).toBe(told(raw))
  })

  test('an empty line in front of one is left out', () => {
    expect(pass(`\r\n${requests[0]}`)).toBe(told(requests[0] ?? ''))
  })
})

describe('what two readers may understand differently is refused', () => {
  test.each([
    'GET / HTTP/1.1\nHost: a\n\r\n\r\n',
    'GET / HTTP/1.1\r\nA: b\nX-Told: me\r\n\r\n',
    'GET / HTTP/1.1\r\nA: b\rX-Told: me\r\n\r\n',
    'GET / HTTP/1.1\r\nA: b\0\r\n\r\n',
    'GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n',
    'GET / HTTP/1.1\r\nA : b\r\n\r\n',
    'GET / HTTP/1.1\r\nno header\r\n\r\n',
    'GET / HTTP/2.0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /\r\n\r\n',
    ' GET / HTTP/1.1\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\n\r\n',
    'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length:\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno trailer\r\n\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX0\r\n\r\n',
  ])('%j', (raw) => expect(() => pass(raw)).toThrow(FramingError))

  test.each(['X-Told: me', 'x-told:me', 'X-TOLD:'])('the header from the client itself: %s', (line) => {
    expect(() => pass(`GET / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`)).toThrow(FramingError)
  })

  test.each(['GET / HTTP/1.1\r\nA: ', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;'])('%j without an end', (raw) => {
    expect(() => pass(raw + 'x'.repeat(300_000))).toThrow(FramingError)
  })
})

describe('a connection that becomes something else', () => {
  const asks = 'GET /watch HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
  const frames = 'GET not HTTP at all'

  test('goes through as it is once the server has agreed, and not before', () => {
    const by = framing()
    expect(text(by.push(Buffer.from(asks + frames)))).toBe(told(asks))
    expect(by.awaitsUpgrade).toBe(true)
    expect(text(by.upgraded(true))).toBe(frames)
    expect(text(by.push(Buffer.from(frames)))).toBe(frames)
  })

  test('stays one of requests where the server has not', () => {
    const by = framing()
    by.push(Buffer.from(asks))
    const [next = ''] = requests
    expect(text(by.push(Buffer.from(next)))).toBe('')
    expect(text(by.upgraded(false))).toBe(told(next))
  })
})
