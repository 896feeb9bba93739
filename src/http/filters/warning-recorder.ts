/** WithWarningRecorder: collects the warnings of filters. Handlers add theirs to their responses. */
import { addWarnings } from '../verbs/respond.ts'
import { type Filter, replaceResponse } from './filter.ts'

/** Sets `warnings`; after the chain, adds a Warning header for each. Follows RFC 7234, section 5.5, code 299. */
export const withWarningRecorder: Filter = async (c, next) => {
  const warnings: string[] = []
  c.set('warnings', warnings)
  await next()
  if (warnings.length === 0) return
  const warned = new Response(c.res.body, c.res)
  addWarnings(warned.headers, warnings)
  replaceResponse(c, warned)
}
