/** What the Durable Objects tell each other about owners and dependents. Every message may come twice, and late. */

import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { Placement } from '../../clusters/placement.ts'
import { internalError } from '../../meta/errors.ts'
import type { DeletionPhase } from '../../storage/owner-statements.ts'

/** An owner that is asked for by the key that it must have. */
export interface AskedOwner {
  readonly uid: string
  readonly key: string
}

/** What there is under an asked key. */
export interface OwnerAnswer {
  readonly state: 'solid' | 'gone' | 'foreground'
  /** The owner is in another namespace than the object that names it. */
  readonly elsewhere?: true
}

/** Whether objects depend on an owner. */
export interface DependenceAnswer {
  readonly some: boolean
  /** One of them waits itself until its dependents are gone. */
  readonly foreground: boolean
}

/** Places are texts of placeText. */
export type Message =
  /** A place is about to hold dependents of these collections, and is told of deletions from now on. */
  | { readonly do: 'introduce'; readonly place: string; readonly prefixes: readonly string[] }
  /** Are these owners there? Answers an OwnerAnswer for each. */
  | { readonly do: 'ask'; readonly place: string; readonly owners: readonly AskedOwner[] }
  /** Owners are gone, or wait for their dependents. Answers the uids on which nothing depends. */
  | { readonly do: 'tell'; readonly place: string; readonly phase: DeletionPhase; readonly uids: readonly string[] }
  /** A place has done with its dependents of an owner what was told. */
  | { readonly do: 'done'; readonly place: string; readonly phase: DeletionPhase; readonly uid: string }
  /** Does anything depend on these? Answers a DependenceAnswer for each. */
  | { readonly do: 'count'; readonly uids: readonly string[] }

/** What messages are answered, by what they do. */
export interface Answers {
  readonly introduce: null
  readonly ask: readonly OwnerAnswer[]
  readonly tell: readonly string[]
  readonly done: null
  readonly count: readonly DependenceAnswer[]
}

/** Where messages go in a Durable Object. */
export const messageUrl = 'http://collection/garbage-collector'

/** A placement as a text. */
export function placeText({ class: className, name }: Placement): string {
  return `${className} ${name}`
}

function placementOfText(text: string): Placement {
  const space = text.indexOf(' ')
  return { class: text.slice(0, space) === 'control' ? 'control' : 'collection', name: text.slice(space + 1) }
}

/** @throws ApiError 500 where the place does not answer */
export async function send<M extends Message>(objects: CollectionClient, place: string, message: M): Promise<Answers[M['do']]> {
  const stub = objects.get(placementOfText(place))
  const response = await stub.fetch(messageUrl, { method: 'POST', body: JSON.stringify(message) })
  if (!response.ok) throw internalError(`the garbage collector of ${place} does not answer`)
  return (await response.json()) as Answers[M['do']]
}
