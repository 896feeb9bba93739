/**
 * Validates large CustomResourceDefinitions by a lookup: outside of the commit and in slices, so that other requests get their
 * turn.
 */
import type { CustomResourceDefinition } from '../../../crd/definition.ts'
import { definitionErrorParts } from '../../../crd/validation/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import type { LookupResults, ObjectLookup } from '../../../meta/lookups.ts'
import { runInSlices } from '../../../meta/parts.ts'
import type { ExplicitEmpty } from '../../../schema/explicit-empty.ts'

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
 * @param explicitEmpty empty lists and maps of the request body, on which messages depend
 * @throws MissingLookups if the definition is not validated yet
 */
export function largeDefinitionErrors(
  { definition, old, version }: Validated,
  explicitEmpty: readonly ExplicitEmpty[] | undefined,
  lookups: LookupResults,
): FieldError[] | undefined {
  const key = JSON.stringify([partsOf(definition), old && partsOf(old), explicitEmpty, version])
  if (key.length < largeCharacters) return undefined
  const lookup: ObjectLookup<FieldError[]> = {
    where: 'object',
    key,
    resolve: async () => ({ result: await runInSlices(definitionErrorParts(definition, old, version)) }),
  }
  return lookups.get(lookup)
}
