/** Which FlowSchema and which priority level a request belongs to. Follows kube-apiserver's API Priority and Fairness (KEP-1040). */
import type { FlowControlObjects, FlowSchema, PriorityLevel } from '../../catalog/shapes/flow-control.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes } from '../attributes.ts'
import { matchesFlowSchema } from './matching.ts'

/** What decides how long a request waits, and with whom. */
export interface Flow {
  readonly schema: FlowSchema
  readonly level: PriorityLevel
}

/** The one that takes what no other does, and is there however the objects are. */
const lastResort = 'catch-all'

/** One state of the cluster's flow schemas and priority levels. */
export class FlowControl {
  readonly #flows: readonly Flow[]
  readonly #lastResort: Flow | undefined
  readonly levels: ReadonlyMap<string, PriorityLevel>

  constructor({ flowSchemas, priorityLevels }: FlowControlObjects) {
    this.levels = new Map(priorityLevels.map((level) => [level.name, level]))
    this.#flows = flowSchemas
      .flatMap((schema) => {
        // A schema whose level is not there is as if it were not there either.
        const level = this.levels.get(schema.priorityLevel)
        return level === undefined ? [] : [{ schema, level }]
      })
      .sort((a, b) => a.schema.matchingPrecedence - b.schema.matchingPrecedence || (a.schema.name < b.schema.name ? -1 : 1))
    this.#lastResort = this.#flows.find(({ schema }) => schema.name === lastResort)
  }

  /** The first schema, by precedence, that is about the request; undefined where the cluster has none at all. */
  classify(user: User, asked: Attributes): Flow | undefined {
    for (const flow of this.#flows) if (matchesFlowSchema(flow.schema, user, asked)) return flow
    return this.#lastResort
  }
}

/** What tells the requests of one schema apart: those of one flow wait in one queue. */
export function distinguisherOf({ distinguisher }: FlowSchema, user: User, asked: Attributes): string {
  if (distinguisher === 'ByUser') return user.name
  return distinguisher === 'ByNamespace' && asked.isResource ? asked.namespace : ''
}
