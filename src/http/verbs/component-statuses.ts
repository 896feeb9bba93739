/**
 * GET of ComponentStatuses. They are not stored: each is the current health of a component. Follows
 * k8s.io/kubernetes/pkg/registry/core/componentstatus.
 */

import { itemsText } from '../../encoding/json-view.ts'
import { jsonViewOf, show } from '../../encoding/kind-views.ts'
import { ApiError, notFound } from '../../meta/errors.ts'
import { matchesFields, supportedFieldSelector } from '../../meta/field-selector.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { negotiateOutput, type Output, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext, ResourceServices } from '../context.ts'
import { viewField } from './answer-fields.ts'
import { respond } from './respond.ts'

interface Component {
  readonly name: string
  readonly health: (services: ResourceServices) => Promise<Health>
}

interface Health {
  readonly status: 'True' | 'False'
  readonly message: string
}

/** The health of a component that kube-apiserver checks at a local port: here nothing listens at it. */
const absent =
  (port: number): Component['health'] =>
  async () => ({
    status: 'False',
    message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  })

async function storeHealth({ health }: ResourceServices): Promise<Health> {
  try {
    await health.find(({ name }) => name === 'etcd')?.run()
    return { status: 'True', message: 'ok' }
  } catch {
    return { status: 'False', message: 'the store does not answer' }
  }
}

const components: readonly Component[] = [
  { name: 'scheduler', health: absent(10259) },
  { name: 'controller-manager', health: absent(10257) },
  { name: 'etcd-0', health: storeHealth },
]

/** Returns a ComponentStatus in the form in which collections store objects. */
async function statusOf({ name, health }: Component, services: ResourceServices): Promise<string> {
  return JSON.stringify({ metadata: { name }, conditions: [{ type: 'Healthy', ...(await health(services)) }] })
}

/** @throws ApiError 404 for an unknown component */
export async function getComponentStatus({ services, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, viewRuleOf(kind, ''))
  const component = components.find(({ name }) => name === target.name)
  if (component === undefined) throw notFound({ group: '', resource: 'componentstatus' }, target.name)
  const text = `${kind.typeMetaPrefix}${(await statusOf(component, services)).slice(1)}`
  const represented = show(kind, text, viewField(output, query).representation, Date.now)
  return answered(represented, output)
}

/** @throws ApiError 400 for an invalid selector, 405 for a watch */
export async function listComponentStatuses({ services, request, query, kind }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, viewRuleOf(kind, ''))
  const { labelSelector, fieldSelector, watch } = readListOptions(query)
  if (watch) {
    const why = `watch is not supported on resources of kind "${kind.resource}"`
    throw new ApiError(405, 'MethodNotAllowed', why, { kind: kind.resource })
  }
  const fields = supportedFieldSelector(fieldSelector, kind.codec.fieldLabels())
  const isSelected = ({ name }: Component): boolean =>
    labelSelector.matches({}) && matchesFields(fields, { 'metadata.name': name, 'metadata.namespace': '' })
  const values = await Promise.all(components.filter(isSelected).map((component) => statusOf(component, services)))
  const form = jsonViewOf(kind, viewField(output, query).representation, 'list', Date.now)
  const { head, end } = form.list({})
  const items = itemsText(
    form,
    values.map((value) => ({ value })),
  )
  return answered(`${head}${items}${end}`, output)
}

/** Returns the response in the negotiated form, as for an object of a collection. */
function answered(json: string, output: Output): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' }
  return respond(new Response(`${json}\n`, { headers }), output)
}
