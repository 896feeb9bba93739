/**
 * Generated sets of mutating policies and webhooks that mark the objects which they see. The marks show the order of the mutating
 * phase, and which parts of it run again.
 */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeAuthority } from '../certificate-authority.ts'

type Reinvocation = 'Never' | 'IfNeeded'

/** The effects of policies: a mark always, once, or if the first webhook has marked the object; or a mutation without effect. */
const policyEffects = ['append', 'once', 'after', 'noop'] as const
/** The effects of webhooks: a mark always or once, no patch, a patch without effect, or the removal of the mark of a policy. */
const webhookEffects = ['append', 'once', 'nothing', 'same', 'undo'] as const

interface Policy {
  readonly effect: (typeof policyEffects)[number]
  readonly reinvocation: Reinvocation
  /** Whether it matches only objects without marks. */
  readonly isFirst: boolean
}

interface Webhook {
  readonly effect: (typeof webhookEffects)[number]
  readonly reinvocation: Reinvocation
}

/** A set of policies and webhooks for one object. */
export interface OrderCase {
  readonly name: string
  readonly resource: 'configmaps' | 'pods'
  /** Equal ones, because kube-apiserver runs policies in a random order. */
  readonly policies: readonly Policy[]
  /** In the order of the names of their configurations. */
  readonly webhooks: readonly Webhook[]
}

/** The outcome of a case. */
export interface OrderOutcome {
  readonly name: string
  /** The marks in their order: `p` of a policy, `w1` of the second webhook. */
  readonly marks: string
  /** The number of tolerations, which a plugin of the server adds to Pods. */
  readonly tolerations: number
}

/** Returns the cases: the same ones in every run. */
export function orderCases(count: number): readonly OrderCase[] {
  let state = 1
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const pick = <T>(values: readonly [T, ...T[]]): T => values[random(values.length)] ?? values[0]
  const reinvocation = (): Reinvocation => pick(['Never', 'IfNeeded'])
  return Array.from({ length: count }, (_, index): OrderCase => {
    const policy: Policy = { effect: pick(policyEffects), reinvocation: reinvocation(), isFirst: random(3) === 0 }
    return {
      name: `order-${index}`,
      resource: pick(['configmaps', 'pods']),
      policies: Array.from({ length: random(3) }, () => policy),
      webhooks: Array.from({ length: random(4) }, () => ({ effect: pick(webhookEffects), reinvocation: reinvocation() })),
    }
  })
}

const marks = 'has(object.metadata.annotations) && "by" in object.metadata.annotations ? object.metadata.annotations["by"] : ""'
const mark = `[JSONPatch{op: "add", path: "/metadata/annotations", value: {"by": (${marks}) + "p "}}]`
/** A failed test, which leaves the object as it is. */
const leave = '[JSONPatch{op: "test", path: "/kind", value: "Nope"}]'

const expressions: Readonly<Record<Exclude<Policy['effect'], 'noop'>, string>> = {
  append: mark,
  once: `(${marks}).contains("p ") ? ${leave} : ${mark}`,
  after: `(${marks}).contains("w0 ") ? ${mark} : ${leave}`,
}

const mutationOf = (effect: Policy['effect']): object =>
  effect === 'noop'
    ? { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }
    : { patchType: 'JSONPatch', jsonPatch: { expression: expressions[effect] } }

interface Metadata {
  readonly annotations?: { readonly by?: string }
  readonly labels?: Readonly<Record<string, string>>
}

/** Returns the patch of a webhook; undefined for none. */
function patchOf(effect: Webhook['effect'], own: string, { annotations, labels }: Metadata): object[] | undefined {
  const by = annotations?.by ?? ''
  const marked = (value: string): object[] => [{ op: 'add', path: '/metadata/annotations', value: { by: value } }]
  if (effect === 'append' || (effect === 'once' && !by.includes(own))) return marked(`${by}${own} `)
  if (effect === 'undo' && by !== '') return marked(`${by.replace('p ', '')}${own} `)
  return effect === 'same' ? [{ op: 'add', path: '/metadata/labels', value: labels }] : undefined
}

/** The webhook of the cases. It is called at `/<its mark>/<its effect>`. */
export async function startMarkingWebhook(): Promise<{ readonly url: string; readonly caBundle: string; stop(): void }> {
  const authority = await makeAuthority('order')
  const { certificate, key } = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const review = JSON.parse(text) as { request: { uid: string; object: { metadata: Metadata } } }
    const [, own = '', effect = ''] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    const patch = patchOf(effect as Webhook['effect'], own, review.request.object.metadata)
    const patched = patch && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
    const answer = { uid: review.request.uid, allowed: true, ...patched }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Creates an object of an API group's path; returns the response's body. Throws an error unless the status is 201. */
export type Create = (path: string, body: object) => Promise<unknown>

/** Creates the policies and webhooks of a case. */
export async function configure(
  { name, resource, policies, webhooks }: OrderCase,
  { url, caBundle }: { readonly url: string; readonly caBundle: string },
  create: Create,
): Promise<void> {
  const objectSelector = { matchLabels: { case: name } }
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations: ['CREATE'] }]
  const group = 'admissionregistration.k8s.io/v1'
  for (const [index, { effect, reinvocation, isFirst }] of policies.entries()) {
    const metadata = { name: `${name}-p${index}` }
    const spec = {
      reinvocationPolicy: reinvocation,
      matchConstraints: { objectSelector, resourceRules: rules },
      matchConditions: isFirst ? [{ name: 'first', expression: '!has(object.metadata.annotations)' }] : [],
      mutations: [mutationOf(effect)],
    }
    await create(`/apis/${group}/mutatingadmissionpolicies`, {
      apiVersion: group,
      kind: 'MutatingAdmissionPolicy',
      metadata,
      spec,
    })
    const binding = { apiVersion: group, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: metadata.name } }
    await create(`/apis/${group}/mutatingadmissionpolicybindings`, binding)
  }
  for (const [index, { effect, reinvocation }] of webhooks.entries()) {
    const webhook = {
      name: `w${index}.example.com`,
      clientConfig: { url: `${url}/w${index}/${effect}`, caBundle },
      rules,
      objectSelector,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      reinvocationPolicy: reinvocation,
    }
    const metadata = { name: `${name}-w${index}` }
    const configuration = { apiVersion: group, kind: 'MutatingWebhookConfiguration', metadata, webhooks: [webhook] }
    await create(`/apis/${group}/mutatingwebhookconfigurations`, configuration)
  }
}

/** Creates the object of a case and returns its marks. */
export async function observe({ name, resource }: OrderCase, create: Create): Promise<OrderOutcome> {
  const metadata = { name, labels: { case: name } }
  const spec = { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] }
  const body =
    resource === 'pods' ? { apiVersion: 'v1', kind: 'Pod', metadata, spec } : { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const created = (await create(`/api/v1/namespaces/default/${resource}?dryRun=All`, body)) as {
    readonly metadata: Metadata
    readonly spec?: { readonly tolerations?: readonly unknown[] }
  }
  return { name, marks: created.metadata.annotations?.by ?? '', tolerations: created.spec?.tolerations?.length ?? 0 }
}
