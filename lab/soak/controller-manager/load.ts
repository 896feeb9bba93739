/**
 * The load of a client while controllers run: namespaces with content, owners with dependents, and definitions are created and
 * deleted.
 */
import { setTimeout as after } from 'node:timers/promises'

/** Sends a request and returns the status. */
export type Send = (method: string, path: string, body?: unknown) => Promise<number>

/** One round of one worker: everything that it creates, it deletes. */
type Round = (send: Send, name: string) => Promise<void>

const podTemplate = (name: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})

const workload = (name: string, kind: 'Deployment' | 'ReplicaSet') => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, labels: { app: name } },
  spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: podTemplate(name) },
})

const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    parallelism: 2,
    completions: 2,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
  },
})

const definition = (plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.soak.edgeplane.dev` },
  spec: {
    group: 'soak.edgeplane.dev',
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: plural.slice(0, -1).replace(/^./, (c) => c.toUpperCase()) },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

/** A namespace with content of several kinds, deleted as a whole. */
const wholeNamespace: Round = async (send, name) => {
  await send('POST', '/api/v1/namespaces', { metadata: { name } })
  await send('POST', `/apis/apps/v1/namespaces/${name}/deployments`, workload('web', 'Deployment'))
  await send('POST', `/apis/batch/v1/namespaces/${name}/jobs`, job('once'))
  for (let i = 0; i < 5; i++) {
    await send('POST', `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: `c${i}` }, data: { i: String(i) } })
  }
  await send('POST', `/api/v1/namespaces/${name}/services`, {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  })
  await after(1500)
  await send('DELETE', `/api/v1/namespaces/${name}`)
  await after(1000)
}

/** Workloads in an existing namespace, each deleted with another propagation policy. */
const workloads: Round = async (send, name) => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments'
  const replicaSets = '/apis/apps/v1/namespaces/default/replicasets'
  await send('POST', deployments, workload(name, 'Deployment'))
  await send('POST', replicaSets, workload(`${name}-rs`, 'ReplicaSet'))
  await after(500)
  await send('PATCH', `${deployments}/${name}`, { spec: { replicas: 4 } })
  await send('PATCH', `${deployments}/${name}`, { spec: { template: { metadata: { annotations: { at: name } } } } })
  await after(1000)
  const policy = ['Background', 'Foreground', 'Orphan'][Number(name.split('-').at(-1)) % 3]
  await send('DELETE', `${deployments}/${name}`, { propagationPolicy: policy })
  await send('DELETE', `${replicaSets}/${name}-rs`, { propagationPolicy: 'Foreground' })
  await after(1000)
  await send('DELETE', `${replicaSets}?labelSelector=app%3D${name}`)
  await send('DELETE', `/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`, { gracePeriodSeconds: 0 })
}

/** A definition with custom resources that own ConfigMaps and each other; deleted with all of them. */
const definitions: Round = async (send, name) => {
  const plural = `${name.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '').replace(/-/g, '')}s`
  const objects = `/apis/soak.edgeplane.dev/v1/namespaces/default/${plural}`
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(plural))
  for (let tries = 0; tries < 50 && (await send('GET', objects)) !== 200; tries++) await after(100)
  const apiVersion = 'soak.edgeplane.dev/v1'
  const kind = definition(plural).spec.names.kind
  for (let i = 0; i < 3; i++) {
    await send('POST', objects, {
      apiVersion,
      kind,
      metadata: { name: `o${i}`, finalizers: i === 2 ? ['soak.edgeplane.dev/f'] : [] },
    })
  }
  await after(1500)
  await send('DELETE', `${objects}/o0`)
  await send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.soak.edgeplane.dev`)
  await send('PATCH', `${objects}/o2`, { metadata: { finalizers: null } })
  await after(1000)
}

const workers: readonly Round[] = [wholeNamespace, wholeNamespace, workloads, workloads, definitions]

/**
 * Runs until the given time.
 * @param run the prefix of names, which must differ for each run
 * @returns the number of rounds
 */
export async function load(send: Send, run: string, until: number): Promise<number> {
  let rounds = 0
  const counts = workers.map(async (round, worker) => {
    for (let i = 0; Date.now() < until; i++) {
      await round(send, `${run}-${worker}-${i}`)
      rounds++
    }
  })
  await Promise.all(counts)
  return rounds
}
