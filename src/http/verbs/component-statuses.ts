/**
 * GET of ComponentStatuses, which are kept nowhere: each says how a component is now. Follows
 * k8s.io/kubernetes/pkg/registry/core/componentstatus.
 */
import { ApiError, notFound } from '../../meta/errors.ts'
import { matchesFields, supportedFieldSelector } from '../../meta/field-selector.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { itemsText } from '../../registry/encoding/json.ts'
import { formOf, represent } from '../../registry/encoding/representation.ts'
import { negotiateOutput, type OutputMediaType, objectTransformOf } from '../codec/negotiate.ts'
import type { ResourceContext, ResourceServices } from '../context.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'

interface Component {
  readonly name: string
  readonly health: (services: ResourceServices) => Promise<Health>
}

interface Health {
  readonly status: 'True' | 'False'
  readonly message: string
}

/** Nobody listens where kube-apiserver asks for a component that runs elsewhere, or in here. */
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

/** A component as a collection would keep it. */
async function statusOf({ name, health }: Component, services: ResourceServices): Promise<string> {
  return JSON.stringify({ metadata: { name }, conditions: [{ type: 'Healthy', ...(await health(services)) }] })
}

/** @throws ApiError 404 for a component that there is not */
export async function getComponentStatus({ services, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, objectTransformOf(kind))
  const component = components.find(({ name }) => name === target.name)
  if (component === undefined) throw notFound({ group: '', resource: 'componentstatus' }, target.name)
  const text = `${kind.typeMetaPrefix}${(await statusOf(component, services)).slice(1)}`
  const shown = represent(kind, text, representationOf(output, query).representation, Date.now)
  return answered(shown, output)
}

/** @throws ApiError 400 for selectors that cannot be read, 405 for a watch */
export async function listComponentStatuses({ services, request, query, kind }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, objectTransformOf(kind))
  const { labelSelector, fieldSelector, watch } = readListOptions(query)
  if (watch) {
    const why = `watch is not supported on resources of kind "${kind.resource}"`
    throw new ApiError(405, 'MethodNotAllowed', why, { kind: kind.resource })
  }
  const fields = supportedFieldSelector(fieldSelector, kind.codec.fieldLabels())
  const isSelected = ({ name }: Component): boolean =>
    labelSelector.matches({}) && matchesFields(fields, { 'metadata.name': name, 'metadata.namespace': '' })
  const values = await Promise.all(components.filter(isSelected).map((component) => statusOf(component, services)))
  const form = formOf(kind, representationOf(output, query).representation, 'list', Date.now)
  const { head, end } = form.list({})
  const items = itemsText(
    form,
    values.map((value) => ({ value })),
  )
  return answered(`${head}${items}${end}`, output)
}

/** The answer as a collection would give it, in the form that the client asked for. */
function answered(json: string, output: OutputMediaType): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' }
  return respond(new Response(`${json}\n`, { headers }), output)
}
