/** Validates `spec.conversion` of a definition. */
import { afterFirstByte } from '../../go/text.ts'
import { type FieldError, forbiddenValue, invalidValue, notSupported, required } from '../../meta/field-error.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../meta/names.ts'
import { caBundleError } from '../ca-bundle.ts'
import type { DefinitionConversion, WebhookClientConfig } from '../definition.ts'

const form = '; desired format: https://host[/path]'
const reviewVersions = ['v1', 'v1beta1']

interface ParsedUrl {
  readonly scheme: string
  readonly host: string
  readonly user: string
  readonly query: string
  readonly fragment: string
}

/** Returns the texts before and after the first separator. Follows strings.Cut. */
function cut(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Parses a URL as Go's url.Parse does. */
function parseUrl(text: string): ParsedUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses exactly these
  if (/[\x00-\x1f\x7f]/.test(text)) return undefined
  const [beforeFragment, fragment] = cut(text, '#')
  const [beforeQuery, query] = cut(beforeFragment, '?')
  const [prefix = '', scheme = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(beforeQuery) ?? []
  const [, authority = ''] = /^\/\/([^/]*)/.exec(beforeQuery.slice(prefix.length)) ?? []
  const at = authority.lastIndexOf('@')
  return {
    scheme: scheme.toLowerCase(),
    host: authority.slice(at + 1),
    user: at < 0 ? '' : authority.slice(0, at),
    query,
    fragment,
  }
}

function urlErrors(url: string, field: string): FieldError[] {
  const parsed = parseUrl(url)
  if (parsed === undefined) {
    return [
      required(field, `url must be a valid URL: parse ${JSON.stringify(url)}: net/url: invalid control character in URL${form}`),
    ]
  }
  const { scheme, host, user, fragment, query } = parsed
  const errors: FieldError[] = []
  if (scheme !== 'https') errors.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${form}`))
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${form}`))
  if (user !== '') errors.push(invalidValue(field, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'))
  return errors
}

function servicePathErrors(path: string | undefined, field: string): FieldError[] {
  if (path === undefined || path === '/' || path === '') return []
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')]
  const errors = path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")]
  const steps = afterFirstByte(path).replace(/\/$/, '').split('/')
  for (const [i, step] of steps.entries()) {
    if (step === '') errors.push(invalidValue(field, path, `segment[${i}] may not be empty`))
    else for (const text of isDns1123Subdomain(step)) errors.push(invalidValue(field, path, `segment[${i}]: ${text}`))
  }
  return errors
}

function serviceErrors(service: NonNullable<WebhookClientConfig['service']>, field: string): FieldError[] {
  const { name = '', namespace = '', path, port = 443 } = service
  // Upstream passes name and namespace in the wrong order.
  const errors: FieldError[] = []
  if (namespace === '') errors.push(required(`${field}.name`))
  if (name === '') errors.push(required(`${field}.namespace`))
  if (port < 1 || port > 65535) {
    errors.push(invalidValue(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'))
  }
  return [...errors, ...servicePathErrors(path, `${field}.path`)]
}

function clientErrors(config: WebhookClientConfig | undefined, field: string): FieldError[] {
  if (config === undefined) return [required(field, 'required when strategy is set to Webhook')]
  const { url, service } = config
  if ((url === undefined) === (service === undefined)) return [required(field, 'exactly one of url or service is required')]
  if (url !== undefined) return urlErrors(url, `${field}.url`)
  return service === undefined ? [] : serviceErrors(service, `${field}.service`)
}

function reviewErrors(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [required(field)]
  const errors: FieldError[] = []
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(invalidValue(`${field}[${i}]`, version, 'duplicate version'))
    else for (const text of isDns1035Label(version)) errors.push(invalidValue(`${field}[${i}]`, version, text))
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidValue(field, versions, `must include at least one of ${reviewVersions.join(', ')}`))
  }
  return errors
}

const caBundleOf = (conversion: DefinitionConversion | undefined): string => conversion?.webhook?.clientConfig?.caBundle ?? ''

/**
 * Whether the caBundle is present and invalid: such a definition is not established, and may be updated while it remains invalid.
 */
export function hasInvalidCaBundle(conversion: DefinitionConversion | undefined): boolean {
  const bundle = caBundleOf(conversion)
  return conversion?.strategy === 'Webhook' && bundle !== '' && caBundleError(bundle) !== undefined
}

/** Returns the error of the caBundle for a definition whose previous bundle was valid. */
export function caBundleErrors(conversion: DefinitionConversion | undefined, path: string): FieldError[] {
  const bundle = caBundleOf(conversion)
  const why = bundle === '' ? undefined : caBundleError(bundle)
  return why === undefined ? [] : [invalidValue(`${path}.webhookClientConfig.caBundle`, bundle, why)]
}

/**
 * Validates the conversion.
 * @param conversion undefined if it is absent, which means strategy None
 */
export function conversionErrors(conversion: DefinitionConversion | undefined, path: string): FieldError[] {
  if (conversion === undefined) return []
  const { strategy, webhook } = conversion
  const config = `${path}.webhookClientConfig`
  const reviews = `${path}.conversionReviewVersions`
  const errors: FieldError[] = []
  if (strategy === '') errors.push(required(`${path}.strategy`))
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(notSupported(`${path}.strategy`, strategy, ['None', 'Webhook']))
  }
  const versions = webhook?.conversionReviewVersions ?? []
  if (strategy === 'Webhook')
    return [...errors, ...clientErrors(webhook?.clientConfig, config), ...reviewErrors(versions, reviews)]
  const text = 'should not be set when strategy is not set to Webhook'
  if (webhook?.clientConfig !== undefined) errors.push(forbiddenValue(config, text))
  if (versions.length > 0) errors.push(forbiddenValue(reviews, text))
  return errors
}
