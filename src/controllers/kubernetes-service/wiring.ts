/** Keeps the Service `default/kubernetes` with its Endpoints and its EndpointSlice, each in its own collection. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { AdvertisedAddress } from '../../config/settings/readers.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { formatIp, parseCidr } from '../../net/ip.ts'
import { createIn } from '../../registry/create.ts'
import type { Registry } from '../../registry/registry.ts'
import { keyOf, objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Controller, ControllerContext } from '../controller.ts'
import { type Occasion, type Reconcile, reconcileEndpoints, reconcileService, reconcileSlice } from './reconcile.ts'

/** The object that is kept in a collection. */
interface Kept {
  readonly group: string
  readonly resource: string
  readonly reconcile: Reconcile
}

const kept: readonly Kept[] = [
  { group: '', resource: 'services', reconcile: reconcileService },
  { group: '', resource: 'endpoints', reconcile: reconcileEndpoints },
  { group: 'discovery.k8s.io', resource: 'endpointslices', reconcile: reconcileSlice },
]

/** The address if none is known: only the port, that of the hosted server. */
const hosted: AdvertisedAddress = { ip: '', port: 443 }

function kindKept({ group, resource }: Kept): Kind {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error(`no kind for ${resource}`)
  return kind
}

/** Returns the address of the Service: the first of the range. */
function firstAddress(cidr: string): string {
  const block = parseCidr(cidr)
  if (block === undefined) throw new Error(`the Services' block of addresses is malformed: ${cidr}`)
  return formatIp({ ...block.address, bits: block.address.bits + 1n })
}

async function write(
  registry: Registry,
  kind: Kind,
  reconcileOn: (existing: KubernetesObject | undefined) => JsonObject | undefined,
) {
  const key = keyOf(kind, 'default', 'kubernetes')
  const found = registry.store.get(key)
  if (reconcileOn(found && objectOf(found)) === undefined) return
  await registry.store.write((transaction) => {
    const existing = transaction.get(key)
    const wanted = reconcileOn(existing && objectOf(existing))
    if (wanted === undefined) return
    const { group, version, resource } = kind
    const target = { group, version, resource, subresource: '', namespace: 'default', name: 'kubernetes' }
    const { object } = kind.codec.decode(wanted, undefined, 'Ignore')
    const scope = { registry, transaction, kind, target, write: { manager: serverManager, dryRun: false } }
    if (existing === undefined) createIn(scope, { object })
    else updateIn(scope, { existing, object })
  })
}

/** Returns the controller for the one of the three objects that belongs to the collection. */
export function kubernetesServiceController({ registry, advertised, collection }: ControllerContext): Controller {
  const own = kept.find(({ group, resource }) => group === collection.group && resource === collection.resource)
  if (own === undefined) throw new Error(`nothing is kept among the ${collection.resource}`)
  const kind = kindKept(own)
  const key = keyOf(kind, 'default', 'kubernetes')
  const entry = `kubernetes-${own.resource}`
  const reconcileOn = async (on: Occasion): Promise<void> => {
    if (advertised === undefined && own.resource !== 'services') return
    const address = firstAddress(registry().serviceCidr)
    await write(registry(), kind, (existing) => own.reconcile(existing, advertised ?? hosted, on, address))
  }
  return {
    start: () => reconcileOn('start'),
    enqueue: ({ object }) => (object.key === key ? `${entry}/` : undefined),
    reconcilers: {
      [entry]: async () => {
        await reconcileOn('change')
        return true
      },
    },
  }
}
