/** The statistics of a run. */

import type { Taken } from '../processes.ts'
import type { Outcome } from './connection.ts'
import type { AttackRequest } from './request.ts'

type Counts = Record<string, number>

function add(all: Record<string, Counts>, key: string, status: string): void {
  const counts = all[key] ?? {}
  all[key] = counts
  counts[status] = (counts[status] ?? 0) + 1
}

const resourcePath =
  /^\/(?:api|apis\/[^/?]+)\/[^/?]+\/(?:watch\/)?(?:namespaces\/[^/?]+\/)?([a-z]+)(?:\/[^/?]*)?(?:\/([a-z]+))?(?:[/?]|$)/

/** Returns the route of a request: a known resource, or the first path segment. */
function routeOf({ target }: AttackRequest, resources: ReadonlySet<string>): string {
  const [, resource = '', subresource] = resourcePath.exec(target) ?? []
  if (!resources.has(resource)) return /^\/[a-z0-9]*/.exec(target)?.[0] ?? 'no path'
  return subresource === undefined ? resource : `${resource}/*`
}

const knownMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])

/** The maximum number of routes that are listed. */
const routesTold = 200

export class Summary {
  readonly byMethod: Record<string, Counts> = {}
  readonly byRoute: Record<string, Counts> = {}
  readonly #resources: ReadonlySet<string>
  readonly #taken: Taken[] = []
  readonly #begun = performance.now()
  #requests = 0
  #slowest = 0
  #slowestIndex = -1

  /** @param resources the names of the resources that are listed */
  constructor(resources: ReadonlySet<string>) {
    this.#resources = resources
  }

  get requests(): number {
    return this.#requests
  }

  count(index: number, request: AttackRequest, { ending, answer, milliseconds }: Outcome): void {
    this.#requests++
    const method = knownMethods.has(request.method) ? request.method : 'other'
    const status = ending === 'answered' ? String(answer.status) : ending
    add(this.byMethod, method, status)
    const route = routeOf(request, this.#resources)
    const isTold = route in this.byRoute || Object.keys(this.byRoute).length < routesTold
    add(this.byRoute, isTold ? route : 'other', ending === 'answered' ? `${status[0]}xx` : ending)
    if (milliseconds <= this.#slowest) return
    this.#slowest = milliseconds
    this.#slowestIndex = index
  }

  measure(taken: Taken): void {
    this.#taken.push(taken)
  }

  get taken(): readonly Taken[] {
    return this.#taken
  }

  get perSecond(): number {
    return (this.#requests / (performance.now() - this.#begun)) * 1000
  }

  /** Returns the numbers as data. */
  toJSON(): object {
    const megabytes = ({ memory }: Taken): number => Math.round(memory / 2 ** 20)
    return {
      requests: this.#requests,
      requestsPerSecond: Math.round(this.perSecond),
      seconds: Math.round((performance.now() - this.#begun) / 1000),
      slowest: { milliseconds: Math.round(this.#slowest), index: this.#slowestIndex },
      peakMegabytes: Math.max(0, ...this.#taken.map(megabytes)),
      megabytes: this.#taken.map(megabytes),
      descriptors: this.#taken.map(({ descriptors }) => descriptors),
      byMethod: this.byMethod,
      byRoute: this.byRoute,
    }
  }
}
