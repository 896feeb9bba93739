/**
 * Creates Deployments through 8 connections, first without guards, then with 20 ValidatingAdmissionPolicies or with one validating
 * webhook on loopback, which match and admit them, on Edgeplane and on the real kube-apiserver with etcd, alternating in one run.
 *
 * Writes lab/bench/results/<guard>-side-by-side.json: creates per second, and the time that the guards add to a create.
 */

import { type Client, clientOf } from '../../test/client.ts'
import { startWebhookServer, type WebhookServer } from '../../test/http/admission-webhooks/webhook-server.ts'
import { choice, command, type Values } from '../command.ts'
import { alternately, comparisonOptions, median, type Peer } from '../peers.ts'
import { writeResults } from './write-results.ts'

const connections = 8
const policies = 20
const groupPath = '/apis/admissionregistration.k8s.io/v1'
const apiVersion = 'admissionregistration.k8s.io/v1'

/** Returns a policy as clusters have it: a variable, and validations of containers and labels. */
function policy(number: number): object {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: `policy-${number}` },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
        ],
      },
      matchConditions: [{ name: 'users', expression: "!request.userInfo.username.startsWith('system:node:')" }],
      variables: [{ name: 'containers', expression: 'object.spec.template.spec.containers' }],
      validations: [
        {
          expression: "variables.containers.all(c, c.image.contains(':') && !c.image.endsWith(':latest'))",
          message: 'tag images',
        },
        {
          expression: `object.spec.replicas <= ${100 + number}`,
          messageExpression: "'too many: ' + string(object.spec.replicas)",
        },
        { expression: "has(object.metadata.labels) && 'team' in object.metadata.labels", message: 'a team is needed' },
      ],
    },
  }
}

const binding = (number: number): object => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: `binding-${number}` },
  spec: { policyName: `policy-${number}`, validationActions: ['Deny'] },
})

const deployment = (name: string, team: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: team },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: ['web', 'proxy', 'logs'].map((container) => ({
            name: container,
            image: `registry.example.com/${container}:1.2.3`,
            env: Array.from({ length: 5 }, (_, index) => ({ name: `KEY_${index}`, value: `value ${index}` })),
          })),
        },
      },
    },
  })

const path = '/apis/apps/v1/namespaces/default/deployments'

/** Measures creates per second. */
async function createsOf(client: Client, prefix: string, seconds: number): Promise<number> {
  let count = 0
  const began = performance.now()
  const worker = async (number: number): Promise<void> => {
    for (let i = 0; performance.now() - began < seconds * 1000; i++) {
      const { status, text } = await client.send(path, {
        method: 'POST',
        body: deployment(`${prefix}-${number}-${i}`, { team: 'a' }),
      })
      if (status !== 201) throw new Error(text)
      count++
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, number) => worker(number)))
  return count / ((performance.now() - began) / 1000)
}

async function make(client: Client, resource: string, object: object): Promise<void> {
  const { status, text } = await client.send(`${groupPath}/${resource}`, { method: 'POST', body: object })
  if (status !== 201) throw new Error(text)
}

async function makePolicies(client: Client): Promise<void> {
  for (let number = 0; number < policies; number++) {
    await make(client, 'validatingadmissionpolicies', policy(number))
    await make(client, 'validatingadmissionpolicybindings', binding(number))
  }
  // The policies decide some seconds after they were made.
  for (;;) {
    const { status } = await client.send(`${path}?dryRun=All`, { method: 'POST', body: deployment('probe', {}) })
    if (status === 422) break
    await new Promise((again) => setTimeout(again, 100))
  }
  await new Promise((settled) => setTimeout(settled, 2000))
}

/** Makes a configuration whose webhook allows all Deployments, and waits until it is called. */
async function makeWebhook(client: Client, { port, caBundle, received }: WebhookServer): Promise<void> {
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }
  const webhook = {
    name: 'allow.example.com',
    clientConfig: { url: `https://127.0.0.1:${port}/allow`, caBundle },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  const configuration = { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'allow' }, webhooks: [webhook] }
  await make(client, 'validatingwebhookconfigurations', configuration)
  for (received.length = 0; received.length === 0; ) {
    await client.send(`${path}?dryRun=All`, { method: 'POST', body: deployment('probe', {}) })
    await new Promise((again) => setTimeout(again, 100))
  }
  await new Promise((settled) => setTimeout(settled, 2000))
}

type Guard = 'policies' | 'webhook'

/** The measurements of one server in one round. */
interface Figures {
  readonly without: number
  readonly with: number
  /** The time that the guards add to a create in microseconds, if the server is the bottleneck. */
  readonly added: number
}

async function measure(peer: Peer, seconds: number, guard: (client: Client) => Promise<void>): Promise<Figures> {
  const client = clientOf(peer)
  await createsOf(client, 'warm', 2)
  const without = await createsOf(client, 'without', seconds)
  await guard(client)
  await createsOf(client, 'warm-with', 2)
  const guarded = await createsOf(client, 'with', seconds)
  client.close()
  const added = Math.round(1e6 / guarded - 1e6 / without)
  return { without: Math.round(without), with: Math.round(guarded), added }
}

const options = { ...comparisonOptions, guard: choice(['policies', 'webhook'], 'the guards of the creates', 'policies') }

async function run(values: Values<typeof options>): Promise<void> {
  const webhook = await startWebhookServer()
  const guards: Readonly<Record<Guard, (client: Client) => Promise<void>>> = {
    policies: makePolicies,
    webhook: (client) => makeWebhook(client, webhook),
  }
  const rounds = await alternately(values, (peer) => measure(peer, values.seconds, guards[values.guard]))
  webhook.stop()
  const mediansOf = (name: Peer['name']): Figures => ({
    without: median(rounds[name].map((figures) => figures.without)),
    with: median(rounds[name].map((figures) => figures.with)),
    added: median(rounds[name].map((figures) => figures.added)),
  })
  const medians = { ours: mediansOf('edgeplane'), theirs: mediansOf('kube-apiserver') }
  const result = { unit: 'creates a second; added: microseconds', guard: values.guard, connections, medians, rounds }
  writeResults(`${values.guard}-side-by-side`, result)
  console.log(result.medians)
}

export default command({ options, run })
