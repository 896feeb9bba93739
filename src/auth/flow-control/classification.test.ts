import { describe, expect, test } from 'vitest'
import type { FlowControlObjects, FlowRule, FlowSchema, PriorityLevel } from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'
import { flowSchemaOf, priorityLevelOf } from '../../registry/policy/flow-control.ts'
import type { Attributes } from '../attributes.ts'
import { flowControlObjects } from './bootstrap.ts'
import { distinguisherOf, FlowControl } from './classification.ts'

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} })
const resourceRequest = (verb: string, resource: string, namespace = '', group = '', subresource = ''): Attributes => ({
  isResource: true,
  verb,
  group,
  resource,
  subresource,
  namespace,
  name: '',
})
const path = (url: string, verb = 'get'): Attributes => ({ isResource: false, verb, path: url })

function bootstrap(): FlowControlObjects {
  const flowSchemas: FlowSchema[] = []
  const priorityLevels: PriorityLevel[] = []
  for (const { resource, object } of flowControlObjects()) {
    if (resource === 'flowschemas') flowSchemas.push(flowSchemaOf(object))
    else priorityLevels.push(priorityLevelOf(object))
  }
  return { flowSchemas, priorityLevels }
}

const authenticated = 'system:authenticated'

describe('the bootstrap flow schemas', () => {
  const flowControl = new FlowControl(bootstrap())
  test.each([
    ['exempt', user('admin', 'system:masters', authenticated), resourceRequest('list', 'pods')],
    ['probes', user('system:anonymous', 'system:unauthenticated'), path('/livez')],
    ['probes', user('jane', authenticated), path('/readyz/etcd')],
    ['global-default', user('jane', authenticated), path('/livezz')],
    ['global-default', user('jane', authenticated), path('/healthz', 'post')],
    [
      'system-leader-election',
      user('system:kube-scheduler', authenticated),
      resourceRequest('update', 'leases', 'a', 'coordination.k8s.io'),
    ],
    [
      'kube-scheduler',
      user('system:kube-scheduler', authenticated),
      resourceRequest('list', 'leases', 'a', 'coordination.k8s.io'),
    ],
    ['kube-scheduler', user('system:kube-scheduler', authenticated), resourceRequest('get', 'leases', '', 'coordination.k8s.io')],
    [
      'system-node-high',
      user('system:node:a', 'system:nodes', authenticated),
      resourceRequest('patch', 'nodes', '', '', 'status'),
    ],
    ['system-nodes', user('system:node:a', 'system:nodes', authenticated), resourceRequest('get', 'nodes', '', '', 'proxy')],
    [
      'kube-system-service-accounts',
      user('system:serviceaccount:kube-system:x', 'system:serviceaccounts'),
      resourceRequest('get', 'pods', 'a'),
    ],
    [
      'service-accounts',
      user('system:serviceaccount:kube-systems:x', 'system:serviceaccounts'),
      resourceRequest('get', 'pods', 'a'),
    ],
    ['global-default', user('jane', authenticated), resourceRequest('create', 'pods', 'a')],
    ['catch-all', user('nobody'), resourceRequest('get', 'pods', 'a')],
  ])('schema %s takes the requests of %j for %j', (name, requester, attributes) => {
    expect(flowControl.classify(requester, attributes)?.schema.name).toBe(name)
  })
})

describe('a flow schema', () => {
  const rule: FlowRule = {
    subjects: [{ kind: 'User', name: 'jane' }],
    resourceRules: [{ verbs: ['get'], apiGroups: ['apps'], resources: ['*'], clusterScope: false, namespaces: ['a', 'b'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/custom/*', '/only'] }],
  }
  const schema = (name: string, matchingPrecedence: number, priorityLevel = 'exempt'): FlowSchema => ({
    name,
    uid: name,
    matchingPrecedence,
    priorityLevel,
    distinguisher: 'ByUser',
    rules: [rule],
  })
  const classify = (schemas: FlowSchema[], attributes: Attributes): string | undefined => {
    const objects = bootstrap()
    const flowControl = new FlowControl({ ...objects, flowSchemas: [...objects.flowSchemas, ...schemas] })
    return flowControl.classify(user('jane', authenticated), attributes)?.schema.name
  }

  test('with the lowest matchingPrecedence wins, then the first name', () => {
    const deployments = resourceRequest('get', 'deployments', 'a', 'apps')
    expect(classify([schema('z', 5), schema('b', 7), schema('a', 7)], deployments)).toBe('z')
    expect(classify([schema('b', 7), schema('a', 7)], deployments)).toBe('a')
  })

  test('whose priority level does not exist is skipped', () => {
    expect(classify([schema('z', 5, 'gone')], resourceRequest('get', 'deployments', 'a', 'apps'))).toBe('global-default')
  })

  test.each([
    ['another verb', resourceRequest('list', 'deployments', 'a', 'apps'), 'global-default'],
    ['another namespace', resourceRequest('get', 'deployments', 'c', 'apps'), 'global-default'],
    ['no namespace', resourceRequest('get', 'deployments', '', 'apps'), 'global-default'],
    ['another group', resourceRequest('get', 'pods', 'a'), 'global-default'],
    ['a subresource', resourceRequest('get', 'deployments', 'b', 'apps', 'scale'), 'z'],
    ['a path below /custom/*', path('/custom/x/y'), 'z'],
    ['a path below /only, which has no *', path('/only/x', 'put'), 'z'],
    ['a path that only shares the prefix', path('/onlyx'), 'global-default'],
  ])('matches or not: %s', (_name, attributes, name) => {
    expect(classify([schema('z', 5)], attributes)).toBe(name)
  })

  test('separates flows by user or by namespace', () => {
    const jane = user('jane')
    const pods = resourceRequest('get', 'pods', 'a')
    expect(distinguisherOf(schema('z', 5), jane, pods)).toBe('jane')
    expect(distinguisherOf({ ...schema('z', 5), distinguisher: 'ByNamespace' }, jane, pods)).toBe('a')
    expect(distinguisherOf({ ...schema('z', 5), distinguisher: '' }, jane, pods)).toBe('')
  })
})
