/**
 * Validates large CustomResourceDefinitions by a lookup: outside of the commit and in slices, so that other requests get their
 * turn.
 */
import type { CustomResourceDefinition } from '../../../crd/definition.ts'
import { definitionErrorParts } from '../../../crd/validation/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import type { LookupResults, ObjectLookup } from '../../../meta/lookups.ts'
import { runInSlices } from '../../../meta/parts.ts'
import { explicitEmptyOf } from '../../../schema/explicit-empty.ts'

/** Length in characters from which a definition is large. Smaller ones are validated in a few milliseconds. */
const largeCharacters = 50_000

/** Returns the parts of a definition on which its errors depend. */
function partsOf({ metadata, spec, status }: CustomResourceDefinition): unknown {
  const { name, generateName, annotations } = metadata
  return [{ name, generateName, annotations }, spec, status]
}

/** A definition to validate. */
interface Validated {
  readonly definition: CustomResourceDefinition
  /** Absent for a create. */
  readonly old: CustomResourceDefinition | undefined
  /** The version of the request. */
  readonly version: string
}

/**
 * Returns the errors of a large definition; undefined for a small one.
 * @throws MissingLookups if the definition is not validated yet
 */
export function largeDefinitionErrors({ definition, old, version }: Validated, lookups: LookupResults): FieldError[] | undefined {
  // Messages depend on the explicitly empty lists and maps, which the JSON lacks.
  const key = JSON.stringify([partsOf(definition), old && partsOf(old), explicitEmptyOf(definition), version])
  if (key.length < largeCharacters) return undefined
  const lookup: ObjectLookup<FieldError[]> = {
    where: 'object',
    key,
    resolve: async () => ({ result: await runInSlices(definitionErrorParts(definition, old, version)) }),
  }
  return lookups.get(lookup)
}
