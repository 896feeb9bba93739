import { expect, test } from 'vitest'
import { answeredHeaders, passedHeaders } from './headers.ts'

const passed = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(passedHeaders(new Request('https://here/', { headers })))

test('credentials for this server are not passed on, nor the cookies of Cloudflare Access', () => {
  const headers = {
    authorization: 'Bearer x',
    'cf-access-jwt-assertion': 'x',
    'impersonate-user': 'x',
    'x-remote-user': 'x',
    a: 'b',
  }
  expect(passed(headers)).toEqual({ a: 'b' })
  expect(passed({ cookie: 'one=1; CF_Authorization=secret; two=2' })).toEqual({ cookie: 'one=1; two=2' })
  expect(passed({ cookie: 'CF_Authorization=secret;CF_AppSession=more' })).toEqual({})
})

test('another server cannot say in a response that it has switched to SPDY', () => {
  const received = new Headers({ 'edgeplane-upgrade': 'SPDY/3.1', connection: 'close, x-hop', 'x-hop': '1', 'x-own': '2' })
  expect(Object.fromEntries(answeredHeaders(received, {}))).toEqual({ 'cache-control': 'no-cache, private', 'x-own': '2' })
})
