/** The naming conditions of a definition. Pure. Follows NamingConditionController of apiextensions-apiserver. */
import { equalValues } from '../../apply/value.ts'
import {
  type CustomResourceDefinition,
  conditionOf,
  type DefinitionCondition,
  type DefinitionNames,
} from '../../crd/definition.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'

/** The accepted names of a group: of resources and of kinds. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** A condition without its time. */
export type Condition = Required<Pick<DefinitionCondition, 'type' | 'status' | 'reason' | 'message'>>

/** The decision about a definition's names. */
export interface NamesDecision {
  readonly acceptedNames: DefinitionNames
  readonly namesAccepted: Condition
  readonly established: Condition
}

const isFree = (requested: string, accepted: string, taken: ReadonlySet<string>): boolean =>
  requested === accepted || !taken.has(requested)

const inUse = (name: string): string => `${goQuote(name)} is already in use`

/** Returns the requested short names that other definitions have. */
function takenShortNames(requested: readonly string[], own: readonly string[], taken: ReadonlySet<string>): string[] {
  return requested.filter((name) => !own.includes(name) && taken.has(name))
}

/** Accepts names one by one; reports the last conflict. */
class Naming {
  readonly names: DefinitionNames
  conflict: { readonly reason: string; readonly message: string } | undefined

  constructor(accepted: DefinitionNames) {
    this.names = { ...accepted }
  }

  accept(field: 'plural' | 'singular' | 'kind' | 'listKind', requested: string, taken: ReadonlySet<string>): void {
    const reason = `${field[0]?.toUpperCase()}${field.slice(1)}Conflict`
    if (isFree(requested, this.names[field] ?? '', taken)) this.names[field] = requested
    else this.conflict = { reason, message: inUse(requested) }
  }

  acceptShortNames(requested: readonly string[], taken: ReadonlySet<string>): void {
    const own = this.names.shortNames ?? []
    if (equalValues([...requested], [...own])) return
    const refused = takenShortNames(requested, own, taken).map(inUse)
    const messages = [...new Set(refused)]
    if (messages.length > 0) {
      this.conflict = {
        reason: 'ShortNamesConflict',
        message: messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`,
      }
    } else if (requested.length > 0) this.names.shortNames = [...requested]
    else delete this.names.shortNames
  }
}

function establishedAfter(definition: CustomResourceDefinition, isAccepted: boolean): Condition {
  const old = conditionOf(definition, 'Established')
  if (old?.status !== 'True' && isAccepted) {
    const message = 'the initial names have been accepted'
    return { type: 'Established', status: 'False', reason: 'Installing', message }
  }
  if (old !== undefined) {
    return { type: 'Established', status: old.status, reason: old.reason ?? '', message: old.message ?? '' }
  }
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

function withCategories(names: DefinitionNames, categories: readonly string[] | undefined): DefinitionNames {
  const { categories: _, ...others } = names
  return categories === undefined || categories.length === 0 ? others : { ...others, categories: [...categories] }
}

/** @returns undefined if nothing has to be decided */
export function decideNames(definition: CustomResourceDefinition, taken: TakenNames): NamesDecision | undefined {
  const { spec, status } = definition
  const accepted = status?.acceptedNames ?? { plural: '', kind: '' }
  const requested = spec.names
  if (equalValues(requested as unknown as JsonObject, accepted as unknown as JsonObject)) return undefined
  const naming = new Naming(accepted)
  naming.accept('plural', requested.plural, taken.resources)
  naming.accept('singular', requested.singular ?? '', taken.resources)
  naming.acceptShortNames(requested.shortNames ?? [], taken.resources)
  naming.accept('kind', requested.kind, taken.kinds)
  naming.accept('listKind', requested.listKind ?? '', taken.kinds)
  const { conflict } = naming
  const namesAccepted: Condition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  const acceptedNames = withCategories(naming.names, requested.categories)
  const before = conditionOf(definition, 'NamesAccepted')
  const isSame = before !== undefined && before.status === namesAccepted.status && before.message === namesAccepted.message
  if (isSame && equalValues(acceptedNames as unknown as JsonObject, accepted as unknown as JsonObject)) return undefined
  return { acceptedNames, namesAccepted, established: establishedAfter(definition, conflict === undefined) }
}
