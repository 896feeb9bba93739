import type { Handlers, Protocol } from '../../clusters/message.ts'
import type { Feature } from '../../controllers/kernel.ts'

/** A feature with the handlers of its messages. */
export type FeatureOf<P extends Protocol, Names extends keyof P> = Feature & { readonly handlers: Pick<Handlers<P>, Names> }
