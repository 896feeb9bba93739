import { afterFirstByte } from '../../../go/text.ts'
import { inclusiveRangeError, isDns1123Subdomain } from '../../../meta/names.ts'
import { type GoUrl, parseUrl, textsOf, UrlError } from '../../../net/url.ts'
import type { ServiceReference, WebhookClientConfig } from '../../generated/types/admissionregistration.v1.ts'
import type { Errors } from '../checks.ts'

const form = '; desired format: https://host[/path]'
const lastPort = 65535

function parsed(url: string, field: string, errors: Errors): GoUrl | undefined {
  try {
    return parseUrl(url)
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    errors.required(field, `url must be a valid URL: ${error.message}${form}`)
    return undefined
  }
}

/** Validates the URL of a webhook (ValidateWebhookURL). */
export function checkWebhookUrl(url: string, field: string, errors: Errors): void {
  const parts = parsed(url, field, errors)
  if (parts === undefined) return
  const { scheme, user } = parts
  const { host, fragment } = textsOf(parts)
  const query = parts.query.slice(1)
  if (scheme !== 'https') errors.invalid(field, scheme, `'https' is the only allowed URL scheme${form}`)
  if (host === '') errors.invalid(field, host, `host must be specified${form}`)
  if (user !== undefined) errors.invalid(field, user, 'user information is not permitted in the URL')
  if (fragment !== '') errors.invalid(field, fragment, 'fragments are not permitted in the URL')
  if (query !== '') errors.invalid(field, query, 'query parameters are not permitted in the URL')
}

function checkPath(path: string, field: string, errors: Errors): void {
  if (path === '' || path === '/') return
  if (path === '//') {
    errors.invalid(field, path, 'segment[0] may not be empty')
    return
  }
  if (!path.startsWith('/')) errors.invalid(field, path, "must start with a '/'")
  const rest = afterFirstByte(path)
  const segments = (rest.endsWith('/') ? rest.slice(0, -1) : rest).split('/')
  for (const [index, segment] of segments.entries()) {
    const messages = segment === '' ? [' may not be empty'] : isDns1123Subdomain(segment).map((text) => `: ${text}`)
    for (const text of messages) errors.invalid(field, path, `segment[${index}]${text}`)
  }
}

/** Validates the Service reference of a webhook (ValidateWebhookService). */
export function checkWebhookService(
  { name, namespace, path = '', port = 0 }: ServiceReference,
  field: string,
  errors: Errors,
): void {
  // kube-apiserver swaps the two fields here.
  if (namespace === '') errors.required(`${field}.name`)
  if (name === '') errors.required(`${field}.namespace`)
  if (port < 1 || port > lastPort) errors.invalid(`${field}.port`, port, `port is not valid: ${inclusiveRangeError(1, lastPort)}`)
  checkPath(path, `${field}.path`, errors)
}

/** Validates that exactly one of URL and Service is set. */
export function checkClientConfig({ url, service }: WebhookClientConfig, field: string, errors: Errors): void {
  if (url !== undefined && service === undefined) checkWebhookUrl(url, `${field}.url`, errors)
  else if (service !== undefined && url === undefined) checkWebhookService(service, `${field}.service`, errors)
  else errors.required(field, 'exactly one of url or service is required')
}
