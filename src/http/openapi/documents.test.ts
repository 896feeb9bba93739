import { describe, expect, test } from 'vitest'
import { served, typeTables } from '../../catalog/generated/served.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { partsOf } from './document-paths.ts'
import { document2 } from './version2.ts'
import { document3 } from './version3.ts'

const parts = partsOf(typeTables, served)
const whole = await document2([...parts.values()], typeTables)

function documentOf(name: string): JsonObject {
  const part = parts.get(name)
  if (part === undefined) throw new Error(`there is no ${name}`)
  return document3(part, typeTables)
}

function at(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
}

/** Removes all descriptions. */
function undescribed(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((each) => undescribed(each) ?? null)
  if (!isObject(value)) return value
  const told = Object.entries(value).filter(([key, each]) => key !== 'description' || typeof each !== 'string')
  return Object.fromEntries(told.map(([key, each]) => [key, undescribed(each) ?? null]))
}

const core = documentOf('api/v1')
const apps = documentOf('apis/apps/v1')
const deployment = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'
const schema = (document: JsonObject, name: string): JsonValue | undefined => at(document, 'components', 'schemas', name)

/** Returns the references in a document that have no target. */
function broken(document: JsonObject): string[] {
  const found: string[] = []
  const walk = (value: JsonValue): void => {
    if (Array.isArray(value)) for (const each of value) walk(each)
    else if (isObject(value)) {
      const { $ref } = value
      if (typeof $ref === 'string' && at(document, ...$ref.slice(2).split('/')) === undefined) found.push($ref)
      for (const each of Object.values(value)) walk(each)
    }
  }
  walk(document)
  return found
}

function operationIds(document: JsonObject): string[] {
  const items = Object.values(at(document, 'paths') ?? {}) as JsonObject[]
  const operations = items.flatMap((item) => Object.values(item).filter(isObject))
  return operations.map(({ operationId }) => String(operationId))
}

describe('all OpenAPI documents', () => {
  test('contain the target of every $ref', () => {
    for (const name of parts.keys()) expect(broken(documentOf(name)), name).toEqual([])
    expect(broken(whole)).toEqual([])
  })

  test('have unique operationIds', () => {
    const ids = operationIds(whole)
    expect(ids).toHaveLength(new Set(ids).size)
    expect(ids.length).toBeGreaterThan(800)
    expect([...parts.keys()].flatMap((name) => operationIds(documentOf(name))).sort()).toEqual(ids.sort())
  })
})

describe('paths in OpenAPI documents', () => {
  test('PATCH has the fieldValidation parameter inline, which kubectl reads', () => {
    const patch = at(apps, 'paths', deployment, 'patch')
    expect(at(patch, 'x-kubernetes-group-version-kind')).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' })
    const fieldValidation = { name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } }
    expect(undescribed(at(patch, 'parameters'))).toContainEqual(fieldValidation)
    const inWhole = { uniqueItems: true, type: 'string', name: 'fieldValidation', in: 'query' }
    expect(undescribed(at(whole, 'paths', deployment, 'patch', 'parameters'))).toContainEqual(inWhole)
  })

  test('parameters that all methods share are on the path', () => {
    const names = at(apps, 'paths', deployment, 'parameters') as { name: string }[]
    expect(names.map(({ name }) => name)).toEqual(['name', 'namespace', 'pretty'])
    expect(at(apps, 'paths', deployment, 'get', 'parameters')).toBeUndefined()
  })

  test.each([
    ['/api/v1/namespaces/{namespace}/pods/{name}/exec', 'post', 'connectCoreV1PostNamespacedPodExec'],
    ['/api/v1/nodes/{name}/proxy/{path}', 'head', 'connectCoreV1HeadNodeProxyWithPath'],
    ['/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token', 'post', 'createCoreV1NamespacedServiceAccountToken'],
    ['/api/v1/watch/namespaces/{name}', 'get', 'watchCoreV1Namespace'],
    ['/api/v1/namespaces/{name}/finalize', 'put', 'replaceCoreV1NamespaceFinalize'],
    ['/api/v1/pods', 'get', 'listCoreV1PodForAllNamespaces'],
  ])('%s %s has operationId %s', (path, method, id) => {
    expect(at(core, 'paths', path, method, 'operationId')).toBe(id)
  })

  test('a group such as flowcontrol.apiserver.k8s.io is one word in operationIds and tags', () => {
    const id = 'deleteFlowcontrolApiserverV1CollectionFlowSchema'
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
    const operation = at(documentOf('apis/flowcontrol.apiserver.k8s.io/v1'), 'paths', path, 'delete')
    expect([at(operation, 'operationId'), at(operation, 'tags')]).toEqual([id, ['flowcontrolApiserver_v1']])
  })

  test('DELETE responds with a Status, or with the object for some kinds', () => {
    const answered = (document: JsonObject, path: string): JsonValue | undefined =>
      at(document, 'paths', path, 'delete', 'responses', '200', 'content', 'application/json', 'schema', '$ref')
    expect(answered(apps, deployment)).toBe('#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status')
    const pod = '#/components/schemas/io.k8s.api.core.v1.Pod'
    expect(answered(core, '/api/v1/namespaces/{namespace}/pods/{name}')).toBe(pod)
  })

  test.each([
    ['get', 'read the specified Deployment'],
    ['put', 'replace the specified Deployment'],
    ['patch', 'partially update the specified Deployment'],
    ['delete', 'delete a Deployment'],
  ])('the description of %s', (method, description) => {
    expect(at(apps, 'paths', deployment, method, 'description')).toBe(description)
    expect(at(whole, 'paths', deployment, method, 'description')).toBe(description)
  })

  test.each([
    ['/api/v1/namespaces/{namespace}/endpoints', 'post', 'create Endpoints'],
    ['/api/v1/namespaces/{namespace}/events', 'post', 'create an Event'],
    ['/api/v1/componentstatuses', 'get', 'list objects of kind ComponentStatus'],
    ['/api/v1/namespaces/{namespace}/pods/{name}/eviction', 'post', 'create eviction of a Pod'],
    ['/api/v1/namespaces/{namespace}/pods/{name}/exec', 'get', 'connect GET requests to exec of Pod'],
  ])('%s %s: %s', (path, method, description) => {
    expect(at(core, 'paths', path, method, 'description')).toBe(description)
  })

  test('pods/log responds with text/plain', () => {
    const log = at(core, 'paths', '/api/v1/namespaces/{namespace}/pods/{name}/log')
    expect(at(log, 'get', 'responses', '200', 'content', 'text/plain', 'schema')).toEqual({ type: 'string' })
    const parameters = at(log, 'parameters') as { name: string }[]
    expect(parameters.map(({ name }) => name)).toContain('tailLines')
    expect(parameters.map(({ name }) => name)).not.toContain('sinceTime')
  })
})

describe('schemas in OpenAPI documents', () => {
  test('lists have x-kubernetes-list-type, list-map-keys, patch-merge-key and patch-strategy', () => {
    expect(undescribed(at(schema(apps, 'io.k8s.api.core.v1.Container'), 'properties', 'ports'))).toEqual({
      type: 'array',
      items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ContainerPort' }] },
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'containerPort',
      'x-kubernetes-patch-strategy': 'merge',
    })
  })

  test('version 2 has no defaults, and has extensions beside a $ref', () => {
    expect(undescribed(at(whole, 'definitions', 'io.k8s.api.apps.v1.DeploymentSpec', 'properties', 'strategy'))).toEqual({
      $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentStrategy',
      'x-kubernetes-patch-strategy': 'retainKeys',
    })
    const name = at(whole, 'definitions', 'io.k8s.api.core.v1.Container', 'properties', 'name')
    expect(undescribed(name)).toEqual({ type: 'string' })
  })

  test('Go’s zero values are defaults of fields without omitempty', () => {
    const properties = undescribed(at(schema(apps, 'io.k8s.api.apps.v1.ControllerRevision'), 'properties'))
    expect(at(properties, 'revision')).toEqual({ type: 'integer', format: 'int64', default: 0 })
    expect(at(properties, 'kind')).toEqual({ type: 'string' })
    const raw = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.runtime.RawExtension' }] }
    expect(at(properties, 'data')).toEqual(raw)
  })

  test('types with their own JSON encoding, such as Quantity', () => {
    const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity'
    expect(undescribed(schema(apps, quantity))).toEqual({ oneOf: [{ type: 'string' }, { type: 'number' }] })
    expect(undescribed(at(whole, 'definitions', quantity))).toEqual({ type: 'string' })
  })

  test('types and fields have descriptions in both versions', () => {
    const name = ['io.k8s.api.core.v1.Container', 'properties', 'name', 'description']
    expect(at(whole, 'definitions', ...name)).toMatch(/^Name of the container specified as a DNS_LABEL/)
    expect(at(core, 'components', 'schemas', ...name)).toBe(at(whole, 'definitions', ...name))
    expect(at(whole, 'definitions', 'io.k8s.api.core.v1.Pod', 'description')).toMatch(/^Pod is a collection/)
  })

  test('enum values are sorted, also for types of another package and for items of lists', () => {
    const values = (type: string, field: string, ...rest: string[]) =>
      at(schema(core, `io.k8s.api.${type}`), 'properties', field, ...rest, 'enum')
    expect(values('core.v1.Container', 'imagePullPolicy')).toEqual(['Always', 'IfNotPresent', 'Never'])
    expect(values('core.v1.PodSpec', 'dnsPolicy')).toEqual(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'])
    expect(values('core.v1.ServiceSpec', 'ipFamilies', 'items')).toEqual(['', 'IPv4', 'IPv6'])
    expect(values('core.v1.Container', 'image')).toBeUndefined()
    const slice = schema(documentOf('apis/discovery.k8s.io/v1'), 'io.k8s.api.discovery.v1.EndpointSlice')
    expect(at(slice, 'properties', 'addressType', 'enum')).toEqual(['FQDN', 'IPv4', 'IPv6'])
  })

  test('x-kubernetes-group-version-kind', () => {
    const kinds = (document: JsonObject, name: string) => at(schema(document, name), 'x-kubernetes-group-version-kind')
    expect(kinds(apps, 'io.k8s.api.apps.v1.Deployment')).toEqual([{ group: 'apps', kind: 'Deployment', version: 'v1' }])
    expect(kinds(apps, 'io.k8s.api.apps.v1.DeploymentSpec')).toBeUndefined()
    const options = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
    expect(kinds(core, options)).toEqual([{ group: '', kind: 'DeleteOptions', version: 'v1' }])
    expect(kinds(apps, options)).toHaveLength(2)
    expect(at(whole, 'definitions', options, 'x-kubernetes-group-version-kind')).toHaveLength(60)
  })
})
