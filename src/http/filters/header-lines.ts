/**
 * The lines of repeated headers. The runtime joins their values for JavaScript with a comma and a space, so that they look like one
 * value which contains these, but sends them on as they came. The process in front of the local server's workerd tells how many parts
 * of a joined value each line has.
 */
import { internalError } from '../../meta/errors.ts'

/** The service that answers with the numbers of parts in each line of each header. */
export interface HeaderLines {
  fetch(url: string, init: { readonly headers: Headers }): Promise<Response>
}

/** The separator with which the runtime joins the values of a repeated header. A value may contain it too. */
export const separator = ', '

/** The values of each header, by its name in lower case; a header that is repeated has several. */
export type ValuesOfHeaders = ReadonlyMap<string, readonly string[]>

/**
 * Returns headers with the values as they were sent.
 * @throws ApiError 500 if the service does not tell them
 */
export async function sentValues(service: HeaderLines, headers: Headers): Promise<ValuesOfHeaders> {
  const response = await service.fetch('http://header-lines/', { headers })
  const counts = new Map(Object.entries(await response.json<Readonly<Record<string, readonly number[]>>>()))
  return new Map([...headers].map(([name, value]) => [name, split(value, counts.get(name) ?? [])]))
}

/** Splits a joined value into values with these numbers of parts. Numbers that do not make up the value are not believed. */
function split(joined: string, counts: readonly number[]): readonly string[] {
  const parts = joined.split(separator)
  const values = counts.map((count) => parts.splice(0, count).join(separator))
  if (parts.length > 0 || values.join(separator) !== joined) throw internalError('the lines of a header are not known')
  return values
}
