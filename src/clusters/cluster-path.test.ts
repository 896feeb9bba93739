import { expect, test } from 'vitest'
import { clusterIn, isClusterName, locationInCluster } from './cluster-path.ts'

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
