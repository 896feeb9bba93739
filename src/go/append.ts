/** Appends items one by one: a call that has as many arguments as a client's list has items overflows the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}
