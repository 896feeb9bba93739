/** The changes of one operation of a group commit, kept in memory until the operation has returned. */

import { utf8Length } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { EventType, Stored, StoreEvent, Transaction } from './store.ts'

/** A Durable Object cannot store a row of 2 MB; the key, the labels and the row itself need a part of that. */
export const MAX_VALUE_BYTES = 1_900_000

/** A change that an operation made, with the size of its value. */
export interface Change {
  readonly event: StoreEvent
  readonly bytes: number
}

/** The state that a transaction reads from. */
export interface TransactionSource {
  /** Returns the live version of a key, after all earlier operations. */
  get(key: string): Stored | undefined
  nextResourceVersion(): number
}

/**
 * The transaction of one operation. Call `end` when the operation has returned or thrown: an operation is synchronous, and later
 * calls throw.
 */
export class OperationTransaction implements Transaction {
  readonly changes: Change[] = []
  readonly alongsides: (() => void)[] = []
  readonly #source: TransactionSource
  readonly #written = new Map<string, Stored | undefined>()
  #lastTaken = 0
  #lastUsed = 0
  #ended = false

  constructor(source: TransactionSource) {
    this.#source = source
  }

  get(key: string): Stored | undefined {
    this.#mustBeOpen()
    return this.#written.has(key) ? this.#written.get(key) : this.#source.get(key)
  }

  nextResourceVersion(): number {
    this.#mustBeOpen()
    this.#lastTaken = this.#source.nextResourceVersion()
    if (this.#lastUsed === 0) this.#lastUsed = this.#lastTaken - 1
    return this.#lastTaken
  }

  put(stored: Stored): void {
    const previous = this.get(stored.key)
    this.#change(previous === undefined ? 'ADDED' : 'MODIFIED', stored, previous)
    this.#written.set(stored.key, stored)
  }

  remove(stored: Stored): void {
    const previous = this.get(stored.key)
    if (previous === undefined) throw new Error(`there is no ${stored.key} to remove`)
    this.#change('DELETED', stored, previous)
    this.#written.set(stored.key, undefined)
  }

  alongside(run: () => void): void {
    this.#mustBeOpen()
    this.alongsides.push(run)
  }

  /** Forbids further calls. */
  end(): void {
    this.#ended = true
  }

  #change(type: EventType, object: Stored, previous: Stored | undefined): void {
    const version = object.resourceVersion
    // Versions must be used in the order in which they were taken: watchers get changes in the order of their versions.
    if (version <= this.#lastUsed || version > this.#lastTaken)
      throw new Error(`resourceVersion ${version} was not taken for this change`)
    const bytes = utf8Length(object.value)
    // The answer of kube-apiserver, whose limit is 1.5 MiB of a denser encoding.
    if (bytes > MAX_VALUE_BYTES) throw new ApiError(500, '', 'etcdserver: request is too large')
    this.#lastUsed = version
    this.changes.push({ event: { type, object, previous }, bytes })
  }

  #mustBeOpen(): void {
    if (this.#ended) throw new Error('the transaction of a finished operation was used')
  }
}
