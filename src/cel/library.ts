/** What libraries are. */
import type { FunctionDeclaration } from './declarations.ts'
import type { Macro } from './macros.ts'
import type { CelType } from './types.ts'

/** What a library adds to an environment. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[]
  readonly macros?: readonly Macro[]
  /** Types that expressions may name. */
  readonly types?: readonly CelType[]
}
