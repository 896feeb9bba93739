/** Errors of large definitions are looked up: they are validated outside of the commit, in slices, and other requests go on. */
import type { CustomResourceDefinition } from '../../../crd/definition.ts'
import { definitionErrorParts } from '../../../crd/validation/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import type { LookupResults, ObjectLookup } from '../../../meta/lookups.ts'
import { runInSlices } from '../../../meta/parts.ts'
import type { ExplicitEmpty } from '../../../schema/explicit-empty.ts'

/** The number of characters from which on a definition is large: smaller ones take a few milliseconds. */
const largeCharacters = 50_000

/** All that the errors of a definition depend on. */
function partsOf({ metadata, spec, status }: CustomResourceDefinition): unknown {
  const { name, generateName, annotations } = metadata
  return [{ name, generateName, annotations }, spec, status]
}

/**
 * Gives the errors of a large definition; undefined for a small one.
 * @param old absent for a create
 * @param explicitEmpty lists and maps that the body gives and that hold nothing: messages tell of them
 * @throws MissingLookups
 */
export function largeDefinitionErrors(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  explicitEmpty: readonly ExplicitEmpty[] | undefined,
  lookups: LookupResults,
): FieldError[] | undefined {
  const key = JSON.stringify([partsOf(definition), old && partsOf(old), explicitEmpty])
  if (key.length < largeCharacters) return undefined
  const lookup: ObjectLookup<FieldError[]> = {
    where: 'object',
    key,
    resolve: async () => ({ result: await runInSlices(definitionErrorParts(definition, old)) }),
  }
  return lookups.get(lookup)
}
