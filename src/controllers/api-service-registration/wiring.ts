/**
 * Keeps an APIService for each version in which custom resources are served, after each change of either.
 */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { DefinitionSummaries } from '../../clusters/definition-summary.ts'
import { definitionPrefix } from '../../crd/definition.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { serverManager } from '../../meta/managers.ts'
import { createIn } from '../../registry/create.ts'
import { listUnder } from '../../registry/list/all.ts'
import { apiServicePrefix } from '../../registry/policy/api-services.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Transaction } from '../../storage/store.ts'
import { withResourceVersion } from '../../storage/value-version.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import { type Registration, reconcile, type ServedVersion } from './reconcile.ts'

const manager = serverManager
const group = 'apiregistration.k8s.io'
const resource = 'apiservices'

function apiServiceKind(): Kind {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error('no kind APIService')
  return kind
}

const targetOf = (name: string) => ({ group, version: 'v1', resource, subresource: '', namespace: '', name })

const servedBy = (definitions: DefinitionSummaries): ServedVersion[] =>
  Object.values(definitions).flatMap(({ group: of, versions }) => versions.map(({ name }) => ({ group: of, version: name })))

function writeIn(registry: Registry, transaction: Transaction, { created, changed, deleted }: Registration): void {
  const kind = apiServiceKind()
  const decoded = (object: JsonObject) => kind.codec.decode(object, undefined, 'Ignore').object
  const scope = (name: string) => ({ registry, transaction, kind, target: targetOf(name), write: { manager, dryRun: false } })
  for (const object of created) createIn(scope(String(object.metadata.name)), { object: decoded(object) })
  for (const { name, spec } of changed) {
    const existing = transaction.get(apiServicePrefix + name)
    if (existing === undefined) continue
    const object = decoded({ ...(objectOf(existing) as unknown as JsonObject), spec })
    updateIn(scope(name), { existing, object })
  }
  for (const name of deleted) {
    const existing = transaction.get(apiServicePrefix + name)
    if (existing !== undefined) transaction.remove(withResourceVersion(existing, transaction.nextResourceVersion()))
  }
}

const isIdle = ({ created, changed, deleted }: Registration): boolean => created.length + changed.length + deleted.length === 0

/** Reconciles all APIServices once. Returns without waiting if nothing has to be written. */
async function register(registry: Registry, definitions: () => DefinitionSummaries): Promise<void> {
  const decide = (): Registration => reconcile(servedBy(definitions()), [...listUnder(registry.store, apiServicePrefix)])
  if (isIdle(decide())) return
  await registry.store.write((transaction) => writeIn(registry, transaction, decide()))
}

/** The autoregister controller. */
export const apiServiceRegistration: Controller<ControlContext> = {
  name: 'api-service-registration',
  rows: 'workqueue/api-service-registration',
  watches: [definitionPrefix, apiServicePrefix],
  open: ({ kernel: { registry }, definitions }) => {
    /** The versions that were registered last; undefined if APIServices may have changed since. */
    let registered: string | undefined
    return {
      keys: ({ object }) => {
        if (object.key.startsWith(apiServicePrefix)) registered = undefined
        return ['']
      },
      missed: () => {
        registered = undefined
        return ['']
      },
      // Most changes of definitions are status updates and need nothing.
      reconcile: async () => {
        const versions = servedBy(definitions.summaries()).map((served) => `${served.group}/${served.version}`)
        const served = JSON.stringify([...new Set(versions)].sort())
        if (served === registered) return 'done'
        registered = served
        try {
          await register(registry, () => definitions.summaries())
        } catch (error) {
          registered = undefined
          throw error
        }
        return 'done'
      },
    }
  },
}
