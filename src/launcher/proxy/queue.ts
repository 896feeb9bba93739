/** Items in the order in which they came, of which any can be removed at the same cost. */

interface Node<T> {
  readonly item: T
  previous: Node<T> | undefined
  next: Node<T> | undefined
}

/** A doubly linked list without duplicates. */
export class Queue<T> {
  readonly #nodes = new Map<T, Node<T>>()
  #first: Node<T> | undefined
  #last: Node<T> | undefined

  get size(): number {
    return this.#nodes.size
  }

  get oldest(): T | undefined {
    return this.#first?.item
  }

  get newest(): T | undefined {
    return this.#last?.item
  }

  /** Adds an item as the newest. */
  push(item: T): void {
    const node: Node<T> = { item, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = node
    else this.#last.next = node
    this.#last = node
    this.#nodes.set(item, node)
  }

  /** Removes an item if it is here. */
  remove(item: T): void {
    const node = this.#nodes.get(item)
    if (node === undefined) return
    this.#nodes.delete(item)
    if (node.previous === undefined) this.#first = node.next
    else node.previous.next = node.next
    if (node.next === undefined) this.#last = node.previous
    else node.next.previous = node.previous
  }

  /** Yields the items, the oldest first. */
  *[Symbol.iterator](): Generator<T> {
    yield* [...this.#nodes.keys()]
  }
}
