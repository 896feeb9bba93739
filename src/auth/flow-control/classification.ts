/** Which FlowSchema and which priority level a request belongs to. Follows kube-apiserver's API Priority and Fairness (KEP-1040). */
import type { FlowControlObjects, FlowRule, FlowSchema, PriorityLevel } from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes } from '../attributes.ts'
import { matchesRequest, rulesAbout } from './matching.ts'

/** What decides how long a request waits, and with whom. */
export interface Flow {
  readonly schema: FlowSchema
  readonly level: PriorityLevel
}

/** A flow, and those of its rules that are about a user. */
interface UserFlow {
  readonly flow: Flow
  readonly rules: readonly FlowRule[]
}

/** The one that takes what no other does, and is there however the objects are. */
const lastResort = 'catch-all'

/** One state of the cluster's flow schemas and priority levels. */
export class FlowControl {
  readonly #flows: readonly Flow[]
  readonly #lastResort: Flow | undefined
  /** Users whose tokens are known are the same objects from request to request. */
  readonly #users = new WeakMap<User, readonly UserFlow[]>()
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
    for (const { flow, rules } of this.#flowsOf(user)) {
      for (const rule of rules) if (matchesRequest(rule, asked)) return flow
    }
    return this.#lastResort
  }

  /** The flows that have something to say of a user, in their order. */
  #flowsOf(user: User): readonly UserFlow[] {
    const known = this.#users.get(user)
    if (known !== undefined) return known
    const found = this.#flows.flatMap((flow) => {
      const rules = rulesAbout(flow.schema, user)
      return rules.length === 0 ? [] : [{ flow, rules }]
    })
    this.#users.set(user, found)
    return found
  }
}

/** What tells the requests of one schema apart: those of one flow wait in one queue. */
export function distinguisherOf({ distinguisher }: FlowSchema, user: User, asked: Attributes): string {
  if (distinguisher === 'ByUser') return user.name
  return distinguisher === 'ByNamespace' && asked.isResource ? asked.namespace : ''
}
