/** Asks the collections of owners whether they are there: once for each owner, when an object first names it. */
import { type Owner, ownerOfText } from '../../meta/owner.ts'
import { keyOf, objectOf } from '../../registry/stored-object.ts'
import {
  advanceOwner,
  type DueOwner,
  insertIntroduction,
  resolveOwner,
  selectDependents,
  selectDueOwners,
  selectIntroductions,
} from '../../storage/owner-statements.ts'
import type { CollectorContext } from './context.ts'
import { placeInKind } from './kinds.ts'
import type { AskedOwner, OwnerAnswer } from './messages.ts'
import { retryDelay } from './reconcile.ts'

/** Owners for which one message asks. */
const messageOwners = 200
/** Events that one misplaced owner causes at most. */
const maximumEvents = 20

/** An owner and where it must be, if it is. */
interface OwnerQuery {
  readonly due: DueOwner
  readonly owner: Owner
  readonly prefix: string
  readonly asked: AskedOwner
}

/** What the collections of the owners know of us, and we of the owners. */
export class OwnerQueries {
  readonly #of: CollectorContext
  /** `<apiVersion> <kind>` of owners whose collections have nothing to be told. */
  readonly #familiar = new Set<string>()
  /** The collections that tell us of deletions. */
  readonly #introduced: Set<string>

  constructor(of: CollectorContext) {
    this.#of = of
    this.#introduced = new Set(selectIntroductions(of.sql))
  }

  /**
   * Whether the collection of such owners tells us of their deletions, or there is none to do so: before the first object
   * that names an owner of the kind is stored, the collection is told of us.
   */
  isSubscribed(apiVersion: string, kindName: string): boolean {
    const name = `${apiVersion} ${kindName}`
    if (this.#familiar.has(name)) return true
    const { kinds } = this.#of
    const kind = kinds.ofOwner(apiVersion, kindName)
    if (kind === undefined) return !kinds.isToBeLearnt(apiVersion, kindName)
    if (!this.#introduced.has(kind.storage.prefix)) return false
    this.#familiar.add(name)
    return true
  }

  /** Tells the collection of such owners of us. Answers when that is durable there and here. */
  async subscribe(apiVersion: string, kindName: string): Promise<void> {
    await this.#of.kinds.learn(apiVersion, kindName)
    const kind = this.#of.kinds.ofOwner(apiVersion, kindName)
    if (kind === undefined || this.#introduced.has(kind.storage.prefix)) return
    const { prefix } = kind.storage
    const place = this.#of.placeOf(kind.storage)
    await this.#of.send(place, { do: 'introduce', place: this.#of.place, prefixes: [prefix] })
    insertIntroduction(this.#of.sql, prefix)
    this.#introduced.add(prefix)
  }

  /** Asks for the owners that are due. */
  async work(now: number): Promise<void> {
    const questions = new Map<string, OwnerQuery[]>()
    for (const due of selectDueOwners(this.#of.sql, now, 'unknown', messageOwners)) {
      const owner = ownerOfText(due.owner)
      await this.#of.kinds.learn(owner.apiVersion, owner.kind).catch(() => undefined)
      const kind = this.#of.kinds.ofOwner(owner.apiVersion, owner.kind)
      if (kind === undefined) this.#postpone(due, now)
      else if (kind.namespaced && owner.namespace === '') resolveOwner(this.#of.sql, due.owner, 'invalid', '', null)
      else {
        const place = this.#of.placeOf(kind.storage)
        const asked = { uid: owner.uid, key: keyOf(kind, owner.namespace, owner.name) }
        const question: OwnerQuery = { due, owner, prefix: kind.storage.prefix, asked }
        const others = questions.get(place)
        if (others === undefined) questions.set(place, [question])
        else others.push(question)
      }
    }
    await Promise.all([...questions].map(([place, asked]) => this.#ask(place, asked)))
  }

  #postpone(due: DueOwner, now: number): void {
    advanceOwner(this.#of.sql, { ...due, attempt: due.attempt + 1 }, now + retryDelay(due.attempt))
  }

  async #ask(place: string, questions: readonly OwnerQuery[]): Promise<void> {
    const { registry, place: own } = this.#of
    try {
      for (const { owner } of questions) await this.subscribe(owner.apiVersion, owner.kind)
      const answers = await this.#of.send(place, { do: 'ask', place: own, owners: questions.map(({ asked }) => asked) })
      for (const [i, question] of questions.entries()) {
        const answer = answers[i]
        if (answer !== undefined) await this.#resolve(place, question, answer)
      }
    } catch (error) {
      console.error(`garbage collection: ${place} does not answer:`, error)
      for (const { due } of questions) this.#postpone(due, registry.now())
    }
  }

  async #resolve(place: string, { due, owner }: OwnerQuery, { state, elsewhere }: OwnerAnswer): Promise<void> {
    const { sql, registry } = this.#of
    if (elsewhere === true) await this.#reportNamespace(due.owner, owner)
    resolveOwner(sql, due.owner, state, place, state === 'solid' ? null : registry.now())
  }

  /** Objects that name an owner of another namespace go: an Event in theirs says why. */
  async #reportNamespace(text: string, { apiVersion, kind: ownerKind, namespace, name: ownerName, uid }: Owner): Promise<void> {
    const { sql, registry } = this.#of
    const shown = `[${apiVersion}/${ownerKind}, namespace: ${namespace}, name: ${ownerName}, uid: ${uid}]`
    const message = `ownerRef ${shown} does not exist in namespace "${namespace}"`
    for (const key of selectDependents(sql, text, '', maximumEvents)) {
      const stored = registry.store.get(key)
      const kind = this.#of.kinds.ofKey(key)
      if (stored === undefined || kind === undefined) continue
      const { name } = placeInKind(kind, key)
      const ownUid = objectOf(stored).metadata.uid ?? ''
      await this.#of.report({ apiVersion: kind.apiVersion, kind: kind.kind, namespace, name, uid: ownUid, message })
    }
  }
}
