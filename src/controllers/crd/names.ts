/**
 * Which names a definition gets, and what its conditions say of them. Pure.
 * Follows NamingConditionController of apiextensions-apiserver.
 */
import { equalValues } from '../../apply/value.ts'
import {
  type CustomResourceDefinition,
  conditionOf,
  type DefinitionCondition,
  type DefinitionNames,
} from '../../crd/definition.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'

/** The names of a group that have been given: of resources and of kinds. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** A condition without its time. */
export type Condition = Required<Pick<DefinitionCondition, 'type' | 'status' | 'reason' | 'message'>>

/** What is decided about a definition's names. */
export interface NamesDecision {
  readonly acceptedNames: DefinitionNames
  readonly namesAccepted: Condition
  readonly established: Condition
}

const isFree = (asked: string, accepted: string, taken: ReadonlySet<string>): boolean => asked === accepted || !taken.has(asked)

const inUse = (name: string): string => `${goQuote(name)} is already in use`

/** The short names that others have, of those that are not the definition's own yet. */
function takenShortNames(asked: readonly string[], own: readonly string[], taken: ReadonlySet<string>): string[] {
  return asked.filter((name) => !own.includes(name) && taken.has(name))
}

/** Names one by one: what is free is given, and the last conflict is told. */
class Naming {
  readonly names: DefinitionNames
  conflict: { readonly reason: string; readonly message: string } | undefined

  constructor(accepted: DefinitionNames) {
    this.names = { ...accepted }
  }

  ask(field: 'plural' | 'singular' | 'kind' | 'listKind', asked: string, taken: ReadonlySet<string>): void {
    const reason = `${field[0]?.toUpperCase()}${field.slice(1)}Conflict`
    if (isFree(asked, this.names[field] ?? '', taken)) this.names[field] = asked
    else this.conflict = { reason, message: inUse(asked) }
  }

  askShortNames(asked: readonly string[], taken: ReadonlySet<string>): void {
    const own = this.names.shortNames ?? []
    if (equalValues([...asked], [...own])) return
    const refused = takenShortNames(asked, own, taken).map(inUse)
    const told = [...new Set(refused)]
    if (told.length > 0) {
      this.conflict = { reason: 'ShortNamesConflict', message: told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]` }
    } else if (asked.length > 0) this.names.shortNames = [...asked]
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

/** @returns undefined where nothing is to be decided */
export function decideNames(definition: CustomResourceDefinition, taken: TakenNames): NamesDecision | undefined {
  const { spec, status } = definition
  const accepted = status?.acceptedNames ?? { plural: '', kind: '' }
  const asked = spec.names
  if (equalValues(asked as unknown as JsonObject, accepted as unknown as JsonObject)) return undefined
  const naming = new Naming(accepted)
  naming.ask('plural', asked.plural, taken.resources)
  naming.ask('singular', asked.singular ?? '', taken.resources)
  naming.askShortNames(asked.shortNames ?? [], taken.resources)
  naming.ask('kind', asked.kind, taken.kinds)
  naming.ask('listKind', asked.listKind ?? '', taken.kinds)
  const { conflict } = naming
  const namesAccepted: Condition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  const acceptedNames = withCategories(naming.names, asked.categories)
  const before = conditionOf(definition, 'NamesAccepted')
  const isSame = before !== undefined && before.status === namesAccepted.status && before.message === namesAccepted.message
  if (isSame && equalValues(acceptedNames as unknown as JsonObject, accepted as unknown as JsonObject)) return undefined
  return { acceptedNames, namesAccepted, established: establishedAfter(definition, conflict === undefined) }
}
