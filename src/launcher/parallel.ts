/** The number of requests at a time. */
const width = 8

/** Calls a function for all items, a few at a time. Rejects with the first error, when no call is running any more. */
export async function forEach<T>(items: readonly T[], call: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  let failure: { readonly error: unknown } | undefined
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined && failure === undefined; item = items[next++]) {
      await call(item).catch((error: unknown) => {
        failure ??= { error }
      })
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  if (failure !== undefined) throw failure.error
}
