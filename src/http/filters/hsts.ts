/** WithHSTS: tells browsers to use TLS only. */
import type { Filter } from './filter.ts'

/**
 * Adds the header Strict-Transport-Security to every response.
 * @param directives separated by commas, as --strict-transport-security-directives takes them
 */
export function withHSTS(directives: string): Filter {
  const header = directives.split(',').join('; ')
  return (c, next) => {
    c.get('responseHeaders')['strict-transport-security'] = header
    return next()
  }
}
