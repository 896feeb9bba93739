/** Request timeouts: the parameter `timeout`, and the response when it is exceeded. */
import { request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const pods = '/api/v1/namespaces/default/pods'
/** The body is not a whole Status, because kube-apiserver's timeout filter does not encode it. */
const over = `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n`

test.each([
  ['abc', 'time: invalid duration \\"abc\\"'],
  ['5', 'time: missing unit in duration \\"5\\"'],
  ['1d', 'time: unknown unit \\"d\\" in duration \\"1d\\"'],
])('timeout=%s is 400 for every path', async (timeout, why) => {
  const status = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"invalid timeout specified in the request URL - ${why}","reason":"BadRequest","code":400}\n`
  for (const path of [pods, '/version', '/healthz', '/nosuch']) {
    const { status: code, text } = await server.send(`${path}?timeout=${timeout}`)
    expect([path, code, text]).toEqual([path, 400, status])
  }
  const unknown = await server.send(`${pods}?timeout=${timeout}`, { token: 'of nobody' })
  expect([unknown.status, unknown.text]).toEqual([400, status])
})

test.each(['', '0', '0s', '-1s', '30s', '100h'])('timeout=%s does not end the request', async (timeout) => {
  expect((await server.send(`${pods}?timeout=${timeout}`)).status).toBe(200)
})

test('timeout=1ns is 504 in plain text, without the priority and fairness headers', async () => {
  const { status, text, headers } = await server.send(`${pods}?timeout=1ns`)
  expect([status, text, headers['content-type']]).toEqual([504, over, 'text/plain; charset=utf-8'])
  expect(headers['cache-control']).toBe('no-cache, private')
  expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined()
})

test('a create and a deletecollection with an exceeded timeout change nothing', async () => {
  const create = await server.send(`${configMaps}?timeout=1ns`, { method: 'POST', body: { metadata: { name: 'late' } } })
  expect([create.status, create.text]).toEqual([504, over])
  expect((await server.send(`${configMaps}/late`)).status).toBe(404)
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'stays' } } })
  expect((await server.send(`${configMaps}?timeout=1ns`, { method: 'DELETE' })).status).toBe(504)
  expect((await server.send(`${configMaps}/stays`)).status).toBe(200)
})

test('a slow request body is 504, and creates nothing after it has arrived', async () => {
  const sent = request(`${server.url}${configMaps}?timeout=300ms`, {
    method: 'POST',
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
  })
  sent.on('error', () => undefined)
  sent.write('{"metadata":{"name":')
  const status = await new Promise((answered) => sent.on('response', (response) => answered(response.resume().statusCode)))
  expect(status).toBe(504)
  sent.end('"slow"}}')
  expect((await server.send(`${configMaps}/slow`)).status).toBe(404)
})

test('a list that waits for a resourceVersion ends at its timeout', async () => {
  const short = await server.send(`${pods}?resourceVersion=99999999999&timeout=500ms`)
  expect([short.status, short.text]).toEqual([504, over])
  const long = await server.send(`${pods}?resourceVersion=99999999999&timeout=10s`)
  expect(long.json()).toMatchObject({ code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } })
})

test('a watch and a log ignore timeout', async () => {
  const watch = await server.send(`${pods}?watch=true&timeoutSeconds=1&timeout=1ns`)
  expect(watch.status).toBe(200)
  expect((await server.send(`${pods}?watch=true&timeoutSeconds=1&timeout=abc`)).status).toBe(200)
  expect((await server.send(`${pods}/missing/log?timeout=abc`)).status).toBe(404)
})
