/** Updates of the status of definitions, as text, without parsing the schemas, which are large. */
import { orderFields } from '../../catalog/field-order.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { type CustomResourceDefinition, type DefinitionStatus, definitionPrefix } from '../../crd/definition.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { serverManager } from '../../meta/managers.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Outline, writeStatusIn } from '../../registry/status-write.ts'

/** The parts of a definition that its controllers change. */
type Changed = Pick<CustomResourceDefinition, 'metadata' | 'status'>

/** Returns the status of a definition that has none yet. */
export const emptyStatus = (): DefinitionStatus => ({
  conditions: [],
  acceptedNames: { plural: '', kind: '' },
  storedVersions: [],
})

/** Updates the status, as kube-apiserver does. */
export function updateStatus(
  registry: Registry,
  name: string,
  change: (status: DefinitionStatus, now: number) => DefinitionStatus,
): Promise<void> {
  return updateDefinition(registry, name, (definition, now) => {
    definition.status = change(definition.status ?? emptyStatus(), now)
  })
}

/** Updates status and metadata. */
export async function updateDefinition(
  registry: Registry,
  name: string,
  change: (definition: Changed, now: number) => void,
): Promise<void> {
  const kind = kindOf('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  if (kind === undefined) return
  const changed = (outline: Outline): void => {
    change(outline as Changed, registry.now())
    const { status } = outline
    const type = kind.type.kind === 'struct' ? kind.type.fields.get('status')?.type : undefined
    if (type !== undefined && status !== undefined) orderFields(type, status as JsonValue)
  }
  await registry.store.write((transaction) => {
    const stored = transaction.get(definitionPrefix + name)
    if (stored === undefined) return
    if (!writeStatusIn(registry, transaction, stored, { kind, manager: serverManager, change: changed })) {
      throw new Error(`the definition ${name} is not stored as definitions are`)
    }
  })
}
