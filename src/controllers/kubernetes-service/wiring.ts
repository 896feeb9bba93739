/** Keeps the Service `default/kubernetes` with its Endpoints and its EndpointSlice, each in its own collection. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { AdvertisedAddress } from '../../config/settings/readers.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { serverManager } from '../../meta/managers.ts'
import { formatIp, parseCidr } from '../../net/ip.ts'
import { createIn } from '../../registry/create.ts'
import type { Registry } from '../../registry/registry.ts'
import { keyOf, objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Stored } from '../../storage/store.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
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
  key: string,
  wantedOn: (existing: Stored | undefined) => JsonObject | undefined,
): Promise<void> {
  await registry.store.write((transaction) => {
    const existing = transaction.get(key)
    const wanted = wantedOn(existing)
    if (wanted === undefined) return
    const { group, version, resource } = kind
    const target = { group, version, resource, subresource: '', namespace: 'default', name: 'kubernetes' }
    const { object } = kind.codec.decode(wanted, undefined, 'Ignore')
    const scope = { registry, transaction, kind, target, write: { manager: serverManager, dryRun: false } }
    if (existing === undefined) createIn(scope, { object })
    else updateIn(scope, { existing, object })
  })
}

/** Makes the controller of one of the three objects. */
function keeping(own: Kept): Controller<Kernel> {
  return {
    name: `kubernetes-${own.resource}`,
    rows: `outbox/kubernetes-${own.resource}/`,
    at: own,
    awaitedBy: 'start',
    open: ({ settings, registry, store }) => {
      const kind = kindKept(own)
      const key = keyOf(kind, 'default', 'kubernetes')
      const advertised = settings.advertiseAddress
      const address = firstAddress(registry.serviceCidr)
      const isKept = advertised !== undefined || own.resource === 'services'
      const wanted = (existing: Stored | undefined, on: Occasion): JsonObject | undefined =>
        own.reconcile(existing && objectOf(existing), advertised ?? hosted, on, address)
      return {
        atStart: () => (isKept && wanted(store.get(key), 'start') !== undefined ? ['start'] : []),
        keys: ({ object }) => (isKept && object.key === key ? [''] : []),
        reconcile: async (occasion) => {
          const on = occasion === 'start' ? 'start' : 'change'
          if (isKept && wanted(store.get(key), on) !== undefined)
            await write(registry, kind, key, (existing) => wanted(existing, on))
          return 'done'
        },
      }
    },
  }
}

/** The controllers of the three objects, each beside its collection. */
export const kubernetesService: readonly Controller<Kernel>[] = kept.map(keeping)
