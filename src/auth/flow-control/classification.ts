/** Classifies requests into FlowSchemas and priority levels. Follows API Priority and Fairness of kube-apiserver (KEP-1040). */
import type { FlowControlObjects, FlowRule, FlowSchema, PriorityLevel } from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes } from '../attributes.ts'
import { matchesRequest, rulesAbout } from './matching.ts'

/** The schema and priority level of a request. */
export interface Flow {
  readonly schema: FlowSchema
  readonly level: PriorityLevel
}

/** A flow, with those of its rules that match a user. */
interface UserFlow {
  readonly flow: Flow
  readonly rules: readonly FlowRule[]
}

/** The schema for requests that no other schema takes. It works even if its objects are missing. */
const lastResort = 'catch-all'

/** An index of one state of the cluster's flow schemas and priority levels. */
export class FlowControl {
  readonly #flows: readonly Flow[]
  readonly #lastResort: Flow | undefined
  /** The matching flows by user: a cached token gives the same User object for each request. */
  readonly #users = new WeakMap<User, readonly UserFlow[]>()
  readonly levels: ReadonlyMap<string, PriorityLevel>

  constructor({ flowSchemas, priorityLevels }: FlowControlObjects) {
    this.levels = new Map(priorityLevels.map((level) => [level.name, level]))
    this.#flows = flowSchemas
      .flatMap((schema) => {
        // A schema without its priority level is ignored.
        const level = this.levels.get(schema.priorityLevel)
        return level === undefined ? [] : [{ schema, level }]
      })
      .sort((a, b) => a.schema.matchingPrecedence - b.schema.matchingPrecedence || (a.schema.name < b.schema.name ? -1 : 1))
    this.#lastResort = this.#flows.find(({ schema }) => schema.name === lastResort)
  }

  /** Returns the first schema, by precedence, that matches the request; undefined if the cluster has no schema at all. */
  classify(user: User, attributes: Attributes): Flow | undefined {
    for (const { flow, rules } of this.#flowsOf(user)) {
      for (const rule of rules) if (matchesRequest(rule, attributes)) return flow
    }
    return this.#lastResort
  }

  /** Returns the flows with a rule for the user, in order of precedence. */
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

/** Returns the flow distinguisher: requests of one schema with the same value wait in the same queue. */
export function distinguisherOf({ distinguisher }: FlowSchema, user: User, attributes: Attributes): string {
  if (distinguisher === 'ByUser') return user.name
  return distinguisher === 'ByNamespace' && attributes.isResource ? attributes.namespace : ''
}
