/**
 * A person who has signed in at Cloudflare Access opens pages in Chromium: a page of another host, of the same domain and of another
 * one, does nothing with the sign-in, and a page of the server itself may do everything.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessSettings, administratorBinding, assertionOf, publishedKeys } from '../bindings/access-team.ts'
import { type CountedServer, startCountedServer } from '../bindings/counted-server.ts'
import { configMaps } from '../paths.ts'
import { chromium, chromiumArguments } from './chromium.ts'

const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const forged = administratorBinding('forged', 'system:anonymous')

/** A request that came with the sign-in. */
interface Signed {
  readonly request: string
  readonly status: number
}

let server: CountedServer
let access: Server
let pages: Server
let browser: Browser
let context: BrowserContext
let page: Page
/** The address of the server behind Access, and of a watch over a WebSocket. */
let api: string
let watch: string
let signed: Signed[] = []

const portOf = (listening: Server): number => (listening.address() as AddressInfo).port

async function listen(listening: Server): Promise<void> {
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
}

/** Returns the headers with the assertion in place of the cookie, as Access passes them on. */
function headersOf({ headers }: IncomingMessage): Record<string, string | string[] | undefined> {
  const cookie = /CF_Authorization=([^;]+)/.exec(headers.cookie ?? '')?.[1]
  return { ...headers, ...(cookie !== undefined && { 'cf-access-jwt-assertion': cookie }) }
}

const html = readFileSync(join(import.meta.dirname, 'browser-page.html'), 'utf8')

const showPage = (outgoing: ServerResponse): ServerResponse => outgoing.setHeader('content-type', 'text/html').end(html)

/** Starts the proxy that stands for Access. It notes the status of each request that came with the cookie. */
async function startAccess(): Promise<Server> {
  const { hostname, port } = server.url
  const forward = (incoming: IncomingMessage) =>
    request({ hostname, port, path: incoming.url, method: incoming.method, headers: headersOf(incoming), agent: false })
  const note = (incoming: IncomingMessage, { statusCode = 0 }: IncomingMessage): void => {
    if (headersOf(incoming)['cf-access-jwt-assertion'] === undefined) return
    signed.push({ request: `${incoming.method} ${incoming.url}`, status: statusCode })
  }
  const proxy = createServer((incoming, outgoing) => {
    // A page of the server's origin: the responses of the server itself run no scripts.
    if (incoming.url === '/console') return showPage(outgoing)
    const sent = forward(incoming).on('response', (response) => {
      note(incoming, response)
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(outgoing)
    })
    incoming.pipe(sent)
  })
  proxy.on('upgrade', (incoming, socket: Duplex) => {
    const sent = forward(incoming)
    sent.on('response', (response) => {
      note(incoming, response)
      socket.end(`HTTP/1.1 ${response.statusCode} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    })
    sent.on('upgrade', (response, upstream, head) => {
      note(incoming, response)
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
      socket.write(head)
      upstream.pipe(socket).pipe(upstream)
      for (const end of [socket, upstream]) end.on('error', () => undefined)
    })
    sent.end()
  })
  await listen(proxy)
  return proxy
}

beforeAll(async () => {
  if (chromium === undefined) return
  server = await startCountedServer(accessSettings, () => publishedKeys)
  const binding = administratorBinding('root', 'access:root@example.com')
  expect((await server.send(bindings, { method: 'POST', body: binding })).status).toBe(201)
  access = await startAccess()
  api = `http://k8s.localhost:${portOf(access)}`
  watch = `${api.replace('http', 'ws')}${configMaps}?watch=1`
  pages = createServer((_, outgoing) => showPage(outgoing))
  await listen(pages)
  browser = await playwright.launch({ executablePath: chromium, args: [...chromiumArguments] })
  context = await browser.newContext()
  const value = await assertionOf('root@example.com')
  const cookie = { name: 'CF_Authorization', value, path: '/', domain: 'k8s.localhost', secure: true, sameSite: 'None' } as const
  await context.addCookies([cookie])
  page = await context.newPage()
}, 60_000)

afterAll(async () => {
  await browser?.close()
  for (const listening of [access, pages]) listening?.close()
  await server?.stop()
})

beforeEach(() => {
  signed = []
})

/** Calls a function of the page. */
const call = (name: string, ...args: readonly string[]): Promise<unknown> =>
  page.evaluate(`${name}(${args.map((argument) => JSON.stringify(argument)).join(', ')})`)

describe.skipIf(chromium === undefined)('In Chromium', () => {
  test.each([
    ['of another host of the domain', 'blog.k8s.localhost', true],
    ['of another domain', 'evil.localhost', undefined],
  ])('a page %s does nothing with the sign-in', async (_, host, isSigned) => {
    await page.goto(`http://${host}:${portOf(pages)}/`)
    const json = JSON.stringify(forged)
    await call('sendBlob', api + bindings, json)
    await call('sendForm', api + bindings, '{"a":"', `",${json.slice(1)}`)
    await call('get', `${api}/api/v1/namespaces/default/pods/a/exec?command=true&stdout=true`)
    expect(await call('send', api + bindings, 'POST', json)).toBe(0)
    expect(await call('send', `${api}${bindings}/root`, 'DELETE')).toBe(0)
    expect(await call('firstMessage', watch)).toBe('closed')
    if (isSigned) expect(signed).toHaveLength(4)
    expect(signed.filter(({ status }) => status !== 403)).toEqual([])
    expect((await server.send(`${bindings}/forged`)).status).toBe(404)
    expect((await server.send('/api/v1/secrets', { token: '' })).status).toBe(403)
  })

  test('a link to the server shows what it leads to, and runs no script of it', async () => {
    await page.goto(`http://blog.k8s.localhost:${portOf(pages)}/`)
    const response = await page.goto(`${api}${configMaps}`)
    expect([response?.status(), response?.headers()['content-security-policy']]).toEqual([200, 'sandbox'])
    expect(signed).toEqual([{ request: `GET ${configMaps}`, status: 200 }])
  })

  test('a page of the server reads, writes and watches', async () => {
    await page.goto(`${api}/console`)
    const send = (method: string, path: string, ...body: object[]): Promise<unknown> =>
      call('send', api + path, method, ...body.map((object) => JSON.stringify(object)))
    const object = { metadata: { name: 'of-console' } }
    expect(await send('POST', configMaps, object)).toBe(201)
    expect(await send('PUT', `${configMaps}/of-console`, { ...object, data: { a: 'b' } })).toBe(200)
    expect(await call('firstMessage', watch)).toContain('"ADDED"')
    expect(await send('GET', `${configMaps}/of-console`)).toBe(200)
    expect(await send('DELETE', `${configMaps}/of-console`)).toBe(200)
    await call('sendBlob', api + bindings, JSON.stringify(forged))
    expect(signed.at(-1)).toEqual({ request: `POST ${bindings}`, status: 403 })
  })
})
