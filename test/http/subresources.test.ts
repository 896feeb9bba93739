/** The subresources of built-in objects over HTTPS. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
let counter = 0

beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const core = '/api/v1/namespaces/default'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

interface Entry {
  readonly manager: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1: unknown
}
interface Item {
  readonly metadata: {
    readonly generation?: number
    readonly resourceVersion: string
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
    readonly managedFields?: readonly Entry[]
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
}

const fresh = (): string => `object-${counter++}`
const get = async (path: string): Promise<Item> => (await server.send(path)).json<Item>()
const post = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })
const put = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'PUT', body })
const patch = (path: string, body: unknown, type = 'merge-patch'): Promise<Reply> =>
  server.send(path, { method: 'PATCH', body, headers: { 'content-type': `application/${type}+json` } })

async function made(path: string, body: unknown): Promise<void> {
  const reply = await post(path, body)
  expect([reply.status, reply.text]).toEqual([201, reply.text])
}

const container = (name: string): unknown => ({ name, image: 'registry.example/app:1' })

async function pod(spec: Readonly<Record<string, unknown>> = {}, labels: Readonly<Record<string, string>> = {}): Promise<string> {
  const name = fresh()
  await made(`${core}/pods`, {
    metadata: { name, labels },
    spec: { containers: [container('c')], automountServiceAccountToken: false, ...spec },
  })
  return name
}

function refused(reply: Reply): { readonly code: number; readonly message: string } {
  const { code, message } = reply.json<{ code: number; message: string }>()
  return { code, message }
}

describe('scale', () => {
  const deployment = async (): Promise<string> => {
    const name = fresh()
    const template = { metadata: { labels: { app: name } }, spec: { containers: [container('c')] } }
    await made(deployments, { metadata: { name }, spec: { selector: { matchLabels: { app: name } }, template } })
    return name
  }

  test('shows replicas and selector, and updates replicas', async () => {
    const name = await deployment()
    const scale = `${deployments}/${name}/scale`
    const scaleObject = (await server.send(scale)).json<Item>()
    expect(scaleObject).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 0, selector: `app=${name}` } })
    expect((await put(scale, { metadata: { name }, spec: { replicas: 3 } })).json()).toMatchObject({ spec: { replicas: 3 } })
    expect((await patch(scale, { spec: { replicas: 4 } })).json()).toMatchObject({ spec: { replicas: 4 } })
    expect((await patch(scale, [{ op: 'replace', path: '/spec/replicas', value: 5 }], 'json-patch')).status).toBe(200)
    const { metadata, spec } = await get(`${deployments}/${name}`)
    expect([metadata.generation, spec.replicas]).toEqual([4, 5])
  })

  test('updates managedFields of the object', async () => {
    const name = await deployment()
    await patch(`${deployments}/${name}/scale?fieldManager=scaler`, { spec: { replicas: 2 } })
    const { managedFields = [] } = (await get(`${deployments}/${name}`)).metadata
    const owners = managedFields.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:replicas"'))
    expect(owners).toEqual([
      {
        manager: 'scaler',
        operation: 'Update',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
    ])
  })

  test('refuses an invalid Scale, or one of another object', async () => {
    const name = await deployment()
    const scale = `${deployments}/${name}/scale`
    expect(refused(await patch(scale, { spec: { replicas: -1 } }))).toEqual({
      code: 422,
      message: `Scale.autoscaling "${name}" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`,
    })
    expect(refused(await patch(scale, { metadata: { uid: 'other' }, spec: { replicas: 2 } })).code).toBe(409)
    expect(refused(await put(scale, { metadata: { name, resourceVersion: '1' }, spec: { replicas: 2 } })).code).toBe(409)
    expect(refused(await put(scale, { metadata: { name: 'other' }, spec: { replicas: 2 } })).code).toBe(400)
    const wrong = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } }
    expect(refused(await put(scale, wrong)).message).toBe(
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    )
    expect((await put(`${scale}?dryRun=All`, { metadata: { name }, spec: { replicas: 9 } })).status).toBe(200)
    expect((await get(`${deployments}/${name}`)).spec.replicas).toBe(1)
  })
})

describe('pods/binding', () => {
  const binding = (name: string, node = 'node-1'): unknown => ({ metadata: { name }, target: { kind: 'Node', name: node } })

  test('assigns a Pod to a Node once', async () => {
    const name = await pod()
    const bound = await post(`${core}/pods/${name}/binding`, binding(name))
    expect([bound.status, bound.json()]).toMatchObject([201, { kind: 'Status', status: 'Success', code: 201 }])
    const { spec, status } = await get(`${core}/pods/${name}`)
    expect(spec.nodeName).toBe('node-1')
    expect(status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
    expect(refused(await post(`${core}/bindings`, binding(name, 'node-2')))).toEqual({
      code: 409,
      message: `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node "node-1"`,
    })
  })

  test('refuses a wrong uid and a gated Pod, and stores nothing with dryRun', async () => {
    const name = await pod()
    const other = { metadata: { name, uid: 'other' }, target: { name: 'node-1' } }
    expect(refused(await post(`${core}/pods/${name}/binding`, other)).code).toBe(409)
    expect((await post(`${core}/pods/${name}/binding?dryRun=All`, binding(name))).status).toBe(201)
    expect((await get(`${core}/pods/${name}`)).spec.nodeName).toBeUndefined()
    const gated = await pod({ schedulingGates: [{ name: 'g' }] })
    expect(refused(await post(`${core}/bindings`, binding(gated))).message).toContain('non-empty .spec.schedulingGates')
  })
})

describe('pods/eviction', () => {
  const evict = (name: string, more: object = {}): Promise<Reply> =>
    post(`${core}/pods/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more })
  const running = async (labels: Readonly<Record<string, string>>, ready = 'True'): Promise<string> => {
    const name = await pod({ nodeName: 'node-1' }, labels)
    await patch(`${core}/pods/${name}/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] } })
    return name
  }
  const budget = async (app: string, status: object, spec: object = {}): Promise<string> => {
    const name = fresh()
    await made(budgets, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app } }, ...spec } })
    await patch(`${budgets}/${name}/status`, { status: { observedGeneration: 1, ...status } })
    return name
  }

  test('deletes a Pod without a PodDisruptionBudget', async () => {
    const pending = await pod()
    expect((await evict(pending)).status).toBe(201)
    expect((await server.send(`${core}/pods/${pending}`)).status).toBe(404)
    const name = await running({ app: fresh() })
    expect((await evict(name, { deleteOptions: { dryRun: ['All'] } })).status).toBe(201)
    expect((await get(`${core}/pods/${name}`)).metadata.deletionTimestamp).toBeUndefined()
    expect((await evict(name)).status).toBe(201)
    const { metadata, status } = await get(`${core}/pods/${name}`)
    expect(metadata.deletionTimestamp).toBeDefined()
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }))
  })

  test('decrements disruptionsAllowed, then is 429', async () => {
    const app = fresh()
    const pods = [await running({ app }), await running({ app }), await running({ app })]
    const name = await budget(app, { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, disruptionsAllowed: 2 })
    const codes = (await Promise.all(pods.map((each) => evict(each)))).map(({ status }) => status)
    expect(codes.sort()).toEqual([201, 201, 429])
    const { status } = await get(`${budgets}/${name}`)
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    })
    expect(Object.keys(status.disruptedPods as object)).toHaveLength(2)
  })

  test('is 429 with Retry-After until the PodDisruptionBudget has been observed', async () => {
    const app = fresh()
    const name = await running({ app })
    const guard = await budget(app, { observedGeneration: 0 })
    const reply = await evict(name)
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '10'])
    expect(reply.json()).toMatchObject({
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: `The disruption budget ${guard} is still being processed by the server.` },
        ],
      },
    })
    await budget(app, {})
    expect(refused(await evict(name))).toMatchObject({ code: 500, message: expect.stringContaining('more than one') })
  })

  test('of a Pod that is not ready follows unhealthyPodEvictionPolicy', async () => {
    const [strict, lenient] = [fresh(), fresh()]
    const none = { currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 }
    await budget(strict, none)
    await budget(lenient, none, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    expect((await evict(await running({ app: strict }, 'False'))).status).toBe(429)
    expect((await evict(await running({ app: lenient }, 'False'))).status).toBe(201)
    expect((await evict(await running({ app: lenient }, 'True'))).status).toBe(429)
  })

  test('refuses an invalid Eviction', async () => {
    const name = await pod()
    expect(refused(await post(`${core}/pods/${name}/eviction`, { metadata: { name: 'other' } }))).toEqual({
      code: 400,
      message: 'name in URL does not match name in Eviction object',
    })
    expect(refused(await evict(name, { deleteOptions: { preconditions: { uid: 'other' } } })).code).toBe(409)
    expect(refused(await evict(name, { deleteOptions: { dryRun: ['Some'] } })).code).toBe(422)
    expect(refused(await evict(fresh())).code).toBe(404)
    expect((await server.send(`${core}/pods/${name}`)).status).toBe(200)
  })
})

describe('updates of a Pod', () => {
  test('pods/ephemeralcontainers adds containers that cannot be removed', async () => {
    const name = await pod()
    const path = `${core}/pods/${name}/ephemeralcontainers`
    const add = (body: unknown): Promise<Reply> => patch(path, body, 'strategic-merge-patch')
    const added = await add({ metadata: { labels: { not: 'kept' } }, spec: { ephemeralContainers: [container('debug')] } })
    expect(added.json<Item>().metadata).toMatchObject({ generation: 2 })
    expect(added.json<Item>().metadata.labels).toBeUndefined()
    const changed = await add({ spec: { ephemeralContainers: [{ name: 'debug', image: 'other' }] } })
    expect(refused(changed).message).toContain('existing ephemeral containers "debug" may not be changed\n@@ -1,6 +1,6 @@')
    const removed = await patch(path, { spec: { ephemeralContainers: null } })
    expect(refused(removed).message).toContain('existing ephemeral containers "debug" may not be removed')
  })

  test('pods/resize changes cpu and memory only, within the QoS class', async () => {
    const withRequests = (requests: object): object => ({ spec: { containers: [{ name: 'c', resources: { requests } }] } })
    const resources = { requests: { cpu: '1' }, limits: { memory: '1Gi' } }
    const name = await pod({ containers: [{ name: 'c', image: 'a', resources }] })
    const resize = (body: unknown): Promise<Reply> => patch(`${core}/pods/${name}/resize`, body, 'strategic-merge-patch')
    expect((await resize(withRequests({ cpu: '1500m' }))).json<Item>().metadata.generation).toBe(2)
    expect(refused(await resize(withRequests({ cpu: null }))).message).toContain('resource requests cannot be removed')
    expect(refused(await resize(withRequests({ 'ephemeral-storage': '1Gi' }))).message).toContain(
      'only cpu and memory resources are mutable',
    )
    const best = await pod()
    expect(
      refused(await patch(`${core}/pods/${best}/resize`, withRequests({ cpu: '1' }), 'strategic-merge-patch')).message,
    ).toContain('Pod QOS Class may not change as a result of resizing')
  })
})

describe('status', () => {
  test('of a Deployment is validated: readyReplicas must not exceed replicas', async () => {
    const name = fresh()
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container('c')] } }
    await made(deployments, { metadata: { name }, spec: { selector: { matchLabels: { a: 'b' } }, template } })
    const reply = await patch(`${deployments}/${name}/status`, { status: { replicas: 1, readyReplicas: 2 } })
    expect(refused(reply).message).toContain('status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas')
    await patch(`${deployments}/${name}/status`, { status: { collisionCount: 2 } })
    expect(refused(await patch(`${deployments}/${name}/status`, { status: { collisionCount: 1 } })).message).toContain(
      'cannot be decremented',
    )
  })

  test('of a Pod: podIP and podIPs agree, one address per family', async () => {
    const path = `${core}/pods/${await pod()}/status`
    expect((await patch(path, { status: { podIP: '10.1.2.3' } })).json<Item>().status).toMatchObject({
      podIPs: [{ ip: '10.1.2.3' }],
      qosClass: 'BestEffort',
    })
    expect(refused(await patch(path, { status: { podIPs: [{ ip: '10.1.2.3' }, { ip: '10.1.2.4' }] } })).message).toContain(
      'may specify no more than one IP for each IP family',
    )
  })
})

/** A certificate signing request for CN=jane, signed with a P-256 key that was thrown away. */
const signingRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkFVMFFMVDIyajV4NXBoa2pJcDdPOHRGM0Vua0pvRXNSTEhycW00TTFKQnVFek52OW83U1h2YXNFUW9nCnFzaENWaDNpaldhdWlJd2l6SmJCejVUbHlWS2dBREFLQmdncWhrak9QUVFEQWdOSkFEQkdBaUVBdmFmN1lwa3gKV2MyMytrUXYwTnJUTEQ1aVdGRWxNMDRQMU0xUy83aU1PSW9DSVFEclZOZjNhYXIxM3N5aVpWRGx0UVZOZUJwZgpEMTZHNSt6dXFmdFBUV1RvVXc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'

describe('certificatesigningrequests/approval', () => {
  test('decides once, and only through the subresource', async () => {
    const name = fresh()
    await made(requests, {
      metadata: { name },
      spec: { signerName: 'example.com/a', request: signingRequest, usages: ['client auth'] },
    })
    const approved = [{ type: 'Approved', status: 'True', reason: 'Because' }]
    expect(refused(await patch(`${requests}/${name}/status`, { status: { conditions: approved } })).message).toContain(
      'updates may not add a condition of type "Approved"',
    )
    const decided = await patch(`${requests}/${name}/approval`, { spec: { usages: ['any'] }, status: { conditions: approved } })
    expect(decided.json<Item>()).toMatchObject({
      spec: { usages: ['client auth'] },
      status: { conditions: [{ type: 'Approved', lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) }] },
    })
    expect(refused(await patch(`${requests}/${name}/approval`, { status: { conditions: [] } })).message).toContain(
      'updates may not remove a condition of type "Approved"',
    )
    expect(refused(await patch(`${requests}/${name}/status`, { status: { certificate: 'bm9uZQ==' } })).message).toContain(
      'must contain at least one CERTIFICATE PEM block',
    )
  })
})

describe('connecting subresources (log, exec, attach, portforward, proxy)', () => {
  test('of a Pod without a node are 400, and its log is 204', async () => {
    const name = await pod()
    expect((await server.send(`${core}/pods/${name}/log`)).status).toBe(204)
    for (const to of ['exec', 'attach', 'portforward']) {
      expect(refused(await post(`${core}/pods/${name}/${to}`, undefined))).toEqual({
        code: 400,
        message: `pod ${name} does not have a host assigned`,
      })
    }
    expect(refused(await server.send(`${core}/pods/${name}/proxy/some/path`)).message).toBe('address not allowed')
    expect(refused(await server.send(`${core}/pods/${name}/exec`, { method: 'DELETE' })).code).toBe(405)
  })

  test('need a container name if the Pod has several', async () => {
    const name = await pod({ containers: [container('a'), container('b')], initContainers: [container('i')] })
    expect(refused(await server.send(`${core}/pods/${name}/log`)).message).toBe(
      `a container name must be specified for pod ${name}, choose one of: [i a b]`,
    )
    expect(refused(await server.send(`${core}/pods/${name}/log?container=z`)).message).toBe(
      `container z is not valid for pod ${name}`,
    )
    expect(refused(await server.send(`${core}/pods/${name}/log?container=a&tailLines=-1`)).code).toBe(422)
  })

  test('proxies to nodes and Services that do not exist are 404', async () => {
    expect(refused(await server.send('/api/v1/nodes/none/proxy/metrics'))).toEqual({
      code: 404,
      message: 'nodes "none" not found',
    })
    expect(refused(await server.send(`${core}/services/a:b:c:d/proxy/`)).message).toBe('invalid service request "a:b:c:d"')
    expect(refused(await server.send(`${core}/services/none/proxy`)).code).toBe(404)
  })
})

test('a path below a subresource, and an unknown subresource, are 404', async () => {
  const name = await pod()
  for (const path of [`pods/${name}/log/more`, `pods/${name}/nothing`, 'serviceaccounts/default/token/more', 'bindings/x']) {
    expect((await server.send(`${core}/${path}`)).status).toBe(404)
  }
  const listed = (await server.send('/api/v1')).json<{ resources: { name: string }[] }>().resources.map((each) => each.name)
  expect(listed).toContain('pods/eviction')
  expect(listed).toContain('serviceaccounts/token')
})
