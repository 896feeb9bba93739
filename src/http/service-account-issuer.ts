/** What others need to verify tokens of ServiceAccounts: OpenID Connect's discovery document and the public keys. Follows KEP-1393. */
import { publishedFor } from '../auth/service-accounts/key-rotation.ts'
import { type TokenKeys, tokenAlgorithm } from '../auth/service-accounts/token-keys.ts'
import { methodNotAllowed } from '../meta/errors.ts'
import { checkMediaTypes, routes } from './codec/route-media-types.ts'

const configurationPath = '/.well-known/openid-configuration'
const keysPath = '/openid/v1/jwks'

/** The paths, as / lists them. */
export const issuerPaths = [configurationPath, keysPath]

/** The issuer of ServiceAccounts' tokens: its name, and its keys. */
export interface IssuerKeys {
  readonly url: string
  readonly keys: TokenKeys
}

function answer(body: object, mediaType: string): Response {
  const headers = { 'content-type': mediaType, 'cache-control': `public, max-age=${publishedFor}` }
  return new Response(JSON.stringify(body), { headers })
}

/**
 * Answers the two documents; undefined for other paths.
 * @param serverAddress `host:port`, or '' where the request alone says where the server is
 * @throws ApiError 405 for other methods than GET, 406 where the client takes another type
 */
export async function serveServiceAccountIssuer(
  request: Request,
  path: string,
  { url, keys }: IssuerKeys,
  serverAddress: string,
): Promise<Response | undefined> {
  if (!issuerPaths.includes(path)) return undefined
  if (request.method !== 'GET') throw methodNotAllowed()
  checkMediaTypes(path === keysPath ? routes.keys : routes.version, request)
  if (path === keysPath) return answer(await keys.published(), 'application/jwk-set+json')
  const document = {
    issuer: url,
    jwks_uri: `https://${serverAddress || new URL(request.url).host}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [tokenAlgorithm],
  }
  return answer(document, 'application/json')
}
