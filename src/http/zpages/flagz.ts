/** /flagz: the options of the server and their values. Follows KEP-4828. */
import { isEnabled } from '../../config/feature-gates.ts'
import { servePage } from './structured.ts'

/** The path in the list at /. */
export const flagzPath = '/flagz'

/** The options and their values; undefined for the administrators of named clusters, whom the deployment's do not concern. */
export type ShownFlags = Readonly<Record<string, string>> | undefined

/** Whether /flagz is served. */
export const hasFlagz = (flags: ShownFlags): flags is Exclude<ShownFlags, undefined> =>
  flags !== undefined && isEnabled('ComponentFlagz')

/**
 * Returns the response to /flagz for any method; undefined for other paths, and if it is not served.
 * @throws ApiError 406
 */
export function serveFlagz(request: Request, path: string, flags: ShownFlags): Response | undefined {
  if (path !== flagzPath || !hasFlagz(flags)) return undefined
  const lines = Object.entries(flags).map(([name, value]) => `${name}:${value}`)
  return servePage(request, { kind: 'Flagz', lines, fields: { flags } })
}
