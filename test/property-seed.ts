/**
 * Fixes the random cases of property tests, so that a run of the suite depends only on the code. `PROPERTY_SEED=7` selects other
 * cases, `PROPERTY_SEED=random` other ones each time.
 */
import fc from 'fast-check'
import { inject } from 'vitest'

const seed = inject('propertySeed')
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

declare module 'vitest' {
  interface ProvidedContext {
    readonly propertySeed: string
  }
}
