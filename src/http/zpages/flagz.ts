/** /flagz: the options of the server and their values. Follows KEP-4828. */
import { isEnabled } from '../../config/feature-gates.ts'
import { servePage } from './structured.ts'

/** The path in the list at /. */
export const flagzPath = '/flagz'

/**
 * Returns the response to /flagz for any method; undefined for other paths, and if the feature ComponentFlagz is disabled.
 * @throws ApiError 406
 */
export function serveFlagz(request: Request, path: string, flags: Readonly<Record<string, string>>): Response | undefined {
  if (path !== flagzPath || !isEnabled('ComponentFlagz')) return undefined
  const lines = Object.entries(flags).map(([name, value]) => `${name}:${value}`)
  return servePage(request, { kind: 'Flagz', lines, fields: { flags } })
}
