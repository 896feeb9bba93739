/**
 * Large definitions are looked at outside of the commit, in slices: it is left, and begun again when it is known what is wrong.
 * Others' requests are answered meanwhile.
 */
import type { CustomResourceDefinition } from '../../../crd/definition.ts'
import { definitionErrorParts, definitionErrors, definitionUpdateErrors } from '../../../crd/validation/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { inSlices } from '../../../meta/parts.ts'
import { Pending } from '../../../meta/pending.ts'
import type { ExplicitEmpty } from '../../../schema/explicit-empty.ts'

/** Characters of what is looked at from which on it is large: smaller ones take a few milliseconds. */
const largeCharacters = 50_000

/** What is wrong with a definition that was looked at, and for how many writes that wait for it this is kept. */
interface Examined {
  readonly errors: FieldError[]
  writes: number
}

const examined = new Map<string, Examined>()
/** What the commit that is going on is about, once it has been looked at. */
const keys = new WeakMap<CustomResourceDefinition, string>()

/** All that the errors of a definition depend on. */
function partsOf({ metadata, spec, status }: CustomResourceDefinition): unknown {
  const { name, generateName, annotations } = metadata
  return [{ name, generateName, annotations }, spec, status]
}

/**
 * Makes sure that it is known what is wrong with a definition.
 * @param given what the body gave that holds nothing: messages tell of it
 * @throws Pending where a large one has to be looked at
 */
export function examine(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  given: readonly ExplicitEmpty[] | undefined,
): void {
  const key = JSON.stringify([partsOf(definition), old && partsOf(old), given])
  if (key.length < largeCharacters) return
  keys.set(definition, key)
  if (examined.has(key)) return
  throw new Pending(async () => {
    const errors = await inSlices(definitionErrorParts(definition, old))
    const known = examined.get(key) ?? { errors, writes: 0 }
    known.writes++
    examined.set(key, known)
    return () => {
      if (--known.writes === 0) examined.delete(key)
    }
  })
}

/** What is wrong with a definition, metadata left out. `old` is absent for a create. */
export function errorsOf(definition: CustomResourceDefinition, old?: CustomResourceDefinition): FieldError[] {
  const known = examined.get(keys.get(definition) ?? '')
  if (known !== undefined) return known.errors
  return old === undefined ? definitionErrors(definition) : definitionUpdateErrors(definition, old)
}
