/** Collects the uses of a cluster or a directory to a report of bounded size. */

import { releaseText } from '../catalog/lifecycle.ts'
import type { JsonObject } from '../go/json-value.ts'
import { changesOf } from './guide.ts'
import { apiVersionText, type Removals } from './removals.ts'
import type { AffectedManager, AffectedObject, AffectedRequests, MigrationReport, Use } from './report.ts'
import { memberObject, memberText } from './use.ts'

/** The user agent of the check itself, whose requests are not reported. */
export const checkAgent = 'edgeplane-migrate'

/** The most objects of a report, and the most characters of them as JSON. */
const mostObjects = 10_000
const mostCharacters = 16 * 1024 * 1024
/** The most field managers, and the most resources, paths and objects that could not be read. */
const mostManagers = 10_000
const mostUnread = 1000
/** The most characters of a reason. */
const longestReason = 500

/** Requests for one version of a resource, removed or not. */
export type SeenRequests = Omit<AffectedRequests, 'removedIn' | 'replacement'>

/** The place of an object in a cluster or a directory. */
export interface Place {
  /** Plural; '' for a manifest. */
  readonly resource: string
  readonly file?: string
  /** The manifest without its uses. */
  readonly mended?: JsonObject | undefined
}

interface ManagerCount {
  objects: number
  lastTime: string
}

/** Makes a report. */
export class ReportCollector {
  readonly removals: Removals
  readonly #objects: AffectedObject[] = []
  readonly #managers = new Map<string, { readonly use: Use; readonly name: string; readonly count: ManagerCount }>()
  readonly #requests: AffectedRequests[] = []
  readonly #unread: { readonly what: string; readonly why: string }[] = []
  /** `<apiVersion> <kind>` of the removals that are used. */
  readonly #used = new Set<string>()
  #characters = 0
  #more = 0

  constructor(removals: Removals) {
    this.removals = removals
  }

  /** Adds an object, if it has uses. */
  add(object: JsonObject, { resource, file, mended }: Place, uses: readonly Use[]): void {
    if (uses.length === 0) return
    for (const use of uses) {
      this.#used.add(`${use.apiVersion} ${use.kind}`)
      if (use.manager !== undefined) this.#countManager(use, use.manager)
    }
    const metadata = memberObject(object, 'metadata') ?? {}
    const namespace = memberText(metadata, 'namespace')
    const affected: AffectedObject = {
      apiVersion: memberText(object, 'apiVersion'),
      kind: memberText(object, 'kind'),
      resource,
      ...(namespace !== '' && { namespace }),
      name: memberText(metadata, 'name') || memberText(metadata, 'generateName'),
      ...(file !== undefined && { file }),
      ...(mended !== undefined && { mended }),
      uses,
    }
    const size = JSON.stringify(affected).length
    if (this.#objects.length >= mostObjects || this.#characters + size > mostCharacters) {
      this.#more++
      return
    }
    this.#characters += size
    this.#objects.push(affected)
  }

  /** Adds requests, if their version is removed. */
  addRequests(seen: SeenRequests): void {
    const removal = this.removals.ofResource(seen.group, seen.version, seen.resource)
    if (removal === undefined || seen.userAgent === checkAgent) return
    this.#used.add(`${apiVersionText(removal)} ${removal.kind}`)
    this.#requests.push({
      ...seen,
      removedIn: releaseText(removal.removedIn),
      ...(removal.replacement !== undefined && { replacement: apiVersionText(removal.replacement) }),
    })
  }

  /** Adds a resource or a path that could not be read. */
  addUnread(what: string, why: string): void {
    if (this.#unread.length < mostUnread) this.#unread.push({ what, why: why.slice(0, longestReason) })
    else this.#unread[mostUnread] = { what: 'others', why: `more than ${mostUnread} could not be read` }
  }

  #countManager(use: Use, manager: NonNullable<Use['manager']>): void {
    const key = JSON.stringify([manager.name, use.apiVersion, use.kind])
    if (this.#managers.size >= mostManagers && !this.#managers.has(key)) return
    const known = this.#managers.get(key) ?? { use, name: manager.name, count: { objects: 0, lastTime: '' } }
    known.count.objects++
    if ((manager.time ?? '') > known.count.lastTime) known.count.lastTime = manager.time ?? ''
    this.#managers.set(key, known)
  }

  #managerList(): AffectedManager[] {
    return [...this.#managers.values()].map(({ use, name, count: { objects, lastTime } }) => ({
      name,
      apiVersion: use.apiVersion,
      kind: use.kind,
      objects,
      ...(lastTime !== '' && { lastTime }),
    }))
  }

  /** Returns the report, in an order that does not depend on the order of the additions. */
  report(): MigrationReport {
    const { from, to, all } = this.removals
    const objects = this.#objects.toSorted((one, other) => compareTexts(orderOf(one), orderOf(other)))
    return {
      apiVersion: 'edgeplane.dev/v1',
      kind: 'MigrationReport',
      from: releaseText(from),
      to: releaseText(to),
      removals: all
        .filter((removal) => this.#used.has(`${apiVersionText(removal)} ${removal.kind}`))
        .map((removal) => ({
          apiVersion: apiVersionText(removal),
          kind: removal.kind,
          removedIn: releaseText(removal.removedIn),
          ...(removal.replacement !== undefined && {
            replacement: `${apiVersionText(removal.replacement)} ${removal.replacement.kind}`,
          }),
          notes: changesOf(apiVersionText(removal), removal.kind).notes,
        })),
      objects,
      managers: this.#managerList().toSorted((one, other) => compareTexts(one.name, other.name)),
      requests: this.#requests.toSorted((one, other) => other.count - one.count),
      unread: this.#unread,
      moreObjects: this.#more,
    }
  }
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const orderOf = ({ file = '', apiVersion, kind, namespace = '', name }: AffectedObject): string =>
  [file, kind, apiVersion, namespace, name].join('\0')

/** Whether anything breaks. */
export const isBroken = ({ objects, requests, moreObjects }: MigrationReport): boolean =>
  objects.length > 0 || requests.length > 0 || moreObjects > 0
