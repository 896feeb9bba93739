/** The interface of libraries. */
import type { FunctionDeclaration } from './declarations.ts'
import type { Macro } from './macros.ts'
import type { CelType } from './types.ts'

/** The additions of a library to an environment. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[]
  readonly macros?: readonly Macro[]
  /** Types that expressions may name. */
  readonly types?: readonly CelType[]
}
