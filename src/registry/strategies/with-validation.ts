/** Builds strategy hooks from validation functions. */
import type { Kind } from '../../catalog/kind.ts'
import type { FieldError } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { StrategyHooks, SubresourceHooks } from '../hooks.ts'

/** Validates a new object. */
type Validate<T> = (object: T, kind: Kind) => FieldError[]
/** Validates an update. */
type ValidateUpdate<T> = (object: T, old: T, kind: Kind) => FieldError[]

/**
 * Returns the hooks that validate objects. Decoding guarantees that objects have the type `T`.
 * @param validateUpdate if absent, updates are validated like new objects
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

/** Returns the hooks of one function that validates both creates and updates; `old` is absent for a create. */
export function withSharedValidation<T extends KubernetesObject>(
  validate: (object: T, old?: T) => FieldError[],
): Pick<StrategyHooks, 'validate' | 'validateUpdate'> {
  return withValidation<T>(
    (object) => validate(object),
    (object, old) => validate(object, old),
  )
}

/**
 * Returns the hooks of two functions: `validate` checks the object of a create or an update (with `old`), `validateChange` checks
 * which fields an update may change.
 */
export function withSeparateValidation<T extends KubernetesObject>(
  validate: (object: T, old?: T) => FieldError[],
  validateChange: (object: T, old: T) => FieldError[],
): Pick<StrategyHooks, 'validate' | 'validateUpdate' | 'validateChange'> {
  return {
    ...withSharedValidation(validate),
    validateChange: (object, old) => validateChange(object as T, old as T),
  }
}

/** Returns the hooks that validate a write to a subresource. */
export function withSubresourceValidation<T extends KubernetesObject>(
  validate: (object: T, old: T) => FieldError[],
): SubresourceHooks {
  return { validateUpdate: (object, old) => validate(object as T, old as T) }
}
