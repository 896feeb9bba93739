/** WithHSTS: makes browsers use only TLS. */
import type { Filter } from './filter.ts'

/**
 * Adds the header Strict-Transport-Security to every response.
 * @param directives separated by commas, as in --strict-transport-security-directives
 */
export function withHSTS(directives: string): Filter {
  const header = directives.split(',').join('; ')
  return (c, next) => {
    c.get('responseHeaders')['strict-transport-security'] = header
    return next()
  }
}
