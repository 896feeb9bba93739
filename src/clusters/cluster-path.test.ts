import { afterEach, describe, expect, test } from 'vitest'
import {
  basePathIn,
  clusterIn,
  clusterPathIn,
  clusterUrl,
  isClusterName,
  locationInCluster,
  useClusterDomain,
} from './cluster-path.ts'

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
])('the cluster and the path of %s', (url, cluster, location) => {
  expect(clusterIn(url)).toBe(cluster)
  expect(locationInCluster(url)).toBe(location)
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
  afterEach(() => useClusterDomain(''))

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
    useClusterDomain('example.com')
    expect(clusterIn(url)).toBe(cluster)
    expect(locationInCluster(url)).toBe(location)
    expect(basePathIn(url)).toBe(base)
    expect(clusterPathIn(url)).toBe(cluster === undefined ? '' : `/clusters/${cluster}`)
  })

  test('a cluster has a host of its own', () => {
    expect(clusterUrl('127.0.0.1:6443', 'blue')).toBe('https://127.0.0.1:6443/clusters/blue')
    useClusterDomain('example.com')
    expect(clusterUrl('127.0.0.1:6443', 'blue')).toBe('https://blue.example.com:6443')
    expect(clusterUrl('api.example.com:443', 'blue')).toBe('https://blue.example.com')
  })

  test.each(['.example.com', 'Example.com', 'example.com/', 'a b', '*.example.com'])('%j is no domain', (domain) => {
    expect(() => useClusterDomain(domain)).toThrow('CLUSTER_DOMAIN')
  })
})
