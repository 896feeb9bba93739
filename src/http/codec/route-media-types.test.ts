import { expect, test } from 'vitest'
import { checkGetRoute, checkMediaTypes, routes } from './route-media-types.ts'

const request = (method: string, headers: Record<string, string>): Request => new Request('https://host/', { method, headers })

test.each([
  [routes.object, 'GET', { accept: 'application/yaml' }],
  [routes.object, 'POST', { 'content-type': 'text/plain' }],
  [routes.object, 'GET', { accept: 'text/html, */*;q=0.1' }],
  [routes.object, 'GET', { accept: 'application/json;as=Foo' }],
  [routes.patch, 'PATCH', { 'content-type': 'application/merge-patch+json ;x' }],
  [routes.log, 'GET', { accept: 'text/plain' }],
  [routes.connect, 'POST', { accept: 'text/html', 'content-type': 'x/y' }],
])('route %j accepts %s with %j', (route, method, headers) => {
  expect(() => checkMediaTypes(route, request(method, headers))).not.toThrow()
})

test.each([
  [routes.patch, 'PATCH', { 'content-type': 'application/json' }],
  [routes.patch, 'PATCH', {}],
  [routes.discovery, 'GET', { 'content-type': 'text/plain' }],
])('415 UnsupportedMediaType: route %j, %s with %j', (route, method, headers) => {
  expect(() => checkMediaTypes(route, request(method, headers))).toThrow(
    expect.objectContaining({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} }),
  )
})

const three = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
test.each([
  [routes.object, 'text/html', three],
  [routes.object, 'application/*', three],
  [routes.object, '*', three],
  [routes.collection, 'text/html', `${three}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`],
  [routes.log, 'text/html', `text/plain, ${three}`],
  [routes.version, 'application/yaml', 'application/json'],
])('406 NotAcceptable: route %j with Accept %j', (route, accept, available) => {
  expect(() => checkMediaTypes(route, request('GET', { accept }))).toThrow(
    expect.objectContaining({
      code: 406,
      reason: 'NotAcceptable',
      message: `406: Not Acceptable\n\nAvailable representations: ${available}`,
      details: {},
    }),
  )
})

test('405 MethodNotAllowed comes before 415 and 406', () => {
  expect(() => checkGetRoute(request('HEAD', { accept: 'text/html' }), routes.discovery)).toThrow(
    expect.objectContaining({ code: 405, reason: 'MethodNotAllowed', details: {} }),
  )
})
