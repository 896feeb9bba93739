import { describe, expect, test } from 'vitest'
import { ClusterAddresses, isClusterName } from './cluster-path.ts'

test.each([
  ['https://host/api/v1/pods?limit=1', undefined, '/api/v1/pods?limit=1'],
  ['https://host', undefined, '/'],
  ['https://host/', undefined, '/'],
  ['https://host/clusters/blue/api/v1/pods?limit=1', 'blue', '/api/v1/pods?limit=1'],
  ['https://host/clusters/blue', 'blue', '/'],
  ['https://host/clusters/blue/', 'blue', '/'],
  ['https://host/clusters/blue?x=/y', 'blue', '/?x=/y'],
  ['https://host/clusters/blue/clusters/red/api', 'blue', '/clusters/red/api'],
  ['https://host/clusters/..%2fred/api', '..%2fred', '/api'],
  ['https://host/clusters//api', '', '/api'],
  ['https://host/%63lusters/blue/api', undefined, '/%63lusters/blue/api'],
  ['https://host/api?x=/clusters/blue', undefined, '/api?x=/clusters/blue'],
  ['https://host/clusters/blue@-5m/api', 'blue', '/api'],
  ['https://host/clusters/blue%402026-01-01T00:00:00Z/api', 'blue', '/api'],
])('the cluster and the path of %s', (url, cluster, location) => {
  expect(new ClusterAddresses('').of(url)).toMatchObject({ cluster, location })
})

test.each([
  ['https://host/clusters/blue@-5m/api', '-5m'],
  ['https://host/clusters/blue%40-5m@x/api', '-5m@x'],
  ['https://host/clusters/blue/api', undefined],
  ['https://host/api?x=@-5m', undefined],
])('the time of %s', (url, time) => {
  expect(new ClusterAddresses('').of(url).time).toBe(time)
})

test.each([
  ['blue', true],
  ['a', true],
  ['pr-123', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['', false],
  ['-a', false],
  ['a-', false],
  ['Blue', false],
  ['a.b', false],
  ['a/b', false],
  ['..%2fred', false],
])('%j is a valid name of a cluster: %s', (name, isValid) => {
  expect(isClusterName(name)).toBe(isValid)
})

describe('With a domain', () => {
  const addresses = new ClusterAddresses('example.com')

  test.each([
    ['https://blue.example.com/api', 'blue', '/api', ''],
    ['https://blue.example.com', 'blue', '/', ''],
    ['https://Blue.EXAMPLE.com:6443/api?x=1', 'blue', '/api?x=1', ''],
    ['https://blue.example.com/clusters/red/api', 'blue', '/clusters/red/api', ''],
    ['https://a.blue.example.com/api', 'a.blue', '/api', ''],
    ['https://.example.com/clusters/red/api', '', '/clusters/red/api', ''],
    ['https://example.com/clusters/red/api', 'red', '/api', '/clusters/red'],
    ['https://xexample.com/clusters/red/api', 'red', '/api', '/clusters/red'],
    ['https://blue.example.com.evil.org/api', undefined, '/api', ''],
    ['https://127.0.0.1:6443/api?x=.example.com', undefined, '/api?x=.example.com', ''],
    ['https://[::1]:6443/clusters/red/api', 'red', '/api', '/clusters/red'],
  ])('the cluster, the path and the base path of %s', (url, cluster, location, base) => {
    const clusterPath = cluster === undefined ? '' : `/clusters/${cluster}`
    expect(addresses.of(url)).toEqual({ cluster, location, basePath: base, clusterPath, time: undefined })
  })

  test('a cluster has a host of its own', () => {
    expect(new ClusterAddresses('').urlOf('127.0.0.1:6443', 'blue')).toBe('https://127.0.0.1:6443/clusters/blue')
    expect(addresses.urlOf('127.0.0.1:6443', 'blue')).toBe('https://blue.example.com:6443')
    expect(addresses.urlOf('api.example.com:443', 'blue')).toBe('https://blue.example.com')
  })
})
