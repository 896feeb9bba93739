/** The library of URLs. */

import { checkRequestUri, formatUrl, type GoUrl, hostAndPort, parseUrl, queryOf, textsOf } from '../../net/url.ts'
import { textAt } from '../arguments.ts'
import { ArrayList, EntryMap } from '../collections.ts'
import { declare, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { CelError, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from '../value.ts'

class UrlValue extends OpaqueValue {
  readonly typeName = 'kubernetes.URL'
  readonly url: GoUrl

  constructor(url: GoUrl) {
    super()
    this.url = url
  }

  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? this.show() === other.show() : NO_SUCH_OVERLOAD
  }

  show(): string {
    return formatUrl(this.url)
  }
}

const toUrl: Implementation = (args) => {
  const text = textAt(args, 0)
  try {
    checkRequestUri(text)
    return new UrlValue(parseUrl(text))
  } catch (error) {
    return new CelError(`URL parse error during conversion from string: ${error instanceof Error ? error.message : ''}`)
  }
}

const isUrl: Implementation = (args) => {
  try {
    checkRequestUri(textAt(args, 0))
    return true
  } catch {
    return false
  }
}

const ofUrl =
  (compute: (url: GoUrl) => Value): Implementation =>
  ([value]) =>
    value instanceof UrlValue ? compute(value.url) : NO_SUCH_OVERLOAD

const URL_TYPE = 'kubernetes.URL'

export const URLS: Library = {
  functions: [
    declare('url', global('string_to_url', 'string', URL_TYPE, toUrl)),
    declare(
      'getScheme',
      method(
        'url_get_scheme',
        URL_TYPE,
        'string',
        ofUrl(({ scheme }) => scheme),
      ),
    ),
    declare(
      'getHost',
      method(
        'url_get_host',
        URL_TYPE,
        'string',
        ofUrl((url) => textsOf(url).host),
      ),
    ),
    declare(
      'getHostname',
      method(
        'url_get_hostname',
        URL_TYPE,
        'string',
        ofUrl((url) => hostAndPort(url).name),
      ),
    ),
    declare(
      'getPort',
      method(
        'url_get_port',
        URL_TYPE,
        'string',
        ofUrl((url) => hostAndPort(url).port),
      ),
    ),
    declare(
      'getEscapedPath',
      method(
        'url_get_escaped_path',
        URL_TYPE,
        'string',
        ofUrl((url) => textsOf(url).path),
      ),
    ),
    declare(
      'getQuery',
      method(
        'url_get_query',
        URL_TYPE,
        'map(string, list(string))',
        ofUrl((url) => EntryMap.of([...queryOf(url)].map(([name, values]): [Value, Value] => [name, new ArrayList(values)]))),
      ),
    ),
    declare('isURL', global('is_url_string', 'string', 'bool', isUrl)),
  ],
}
