/** Hooks of kinds that depart from the rule only in what is valid. */
import type { Kind } from '../../catalog/kind.ts'
import type { FieldError } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { StrategyHooks, SubresourceHooks } from '../hooks.ts'

/** Finds what is wrong with a new object. */
type Validate<T> = (object: T, kind: Kind) => FieldError[]
/** Finds what is wrong with a change. */
type ValidateUpdate<T> = (object: T, old: T, kind: Kind) => FieldError[]

/**
 * The hooks that check an object of the shape that the kind's decoding guarantees.
 * A change is checked as a new object is where no checks of its own are given.
 */
export function withValidation<T extends KubernetesObject>(
  validate: Validate<T>,
  validateUpdate: ValidateUpdate<T> = (object, _old, kind) => validate(object, kind),
): Pick<StrategyHooks, 'validate' | 'validateUpdate'> {
  return {
    validate: (object, kind) => validate(object as T, kind),
    validateUpdate: (object, old, kind) => validateUpdate(object as T, old as T, kind),
  }
}

/** The same where one function checks both: a change is a new object that is held against what was before. */
export function withSharedValidation<T extends KubernetesObject>(
  validate: (object: T, old?: T) => FieldError[],
): Pick<StrategyHooks, 'validate' | 'validateUpdate'> {
  return withValidation<T>(
    (object) => validate(object),
    (object, old) => validate(object, old),
  )
}

/** The same where what a changed object is and how it has changed are checked apart. `validate` gets what was before, too. */
export function withSeparateValidation<T extends KubernetesObject>(
  validate: (object: T, old?: T) => FieldError[],
  validateChange: (object: T, old: T) => FieldError[],
): Pick<StrategyHooks, 'validate' | 'validateUpdate' | 'validateChange'> {
  return {
    ...withSharedValidation(validate),
    validateChange: (object, old) => validateChange(object as T, old as T),
  }
}

/** The hooks that check what is written to a subresource. */
export function withSubresourceValidation<T extends KubernetesObject>(
  validate: (object: T, old: T) => FieldError[],
): SubresourceHooks {
  return { validateUpdate: (object, old) => validate(object as T, old as T) }
}
