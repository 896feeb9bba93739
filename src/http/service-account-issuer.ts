/** The issuer discovery of ServiceAccount tokens: OpenID Connect's discovery document and the public keys. Follows KEP-1393. */
import { publishedFor } from '../auth/service-accounts/key-rotation.ts'
import { type TokenKeys, tokenAlgorithm } from '../auth/service-accounts/token-keys.ts'
import type { ClusterAddress } from '../clusters/cluster-path.ts'
import { methodNotAllowed } from '../meta/errors.ts'
import { checkMediaTypes, routes } from './codec/route-media-types.ts'

const configurationPath = '/.well-known/openid-configuration'
const keysPath = '/openid/v1/jwks'

/** The paths in the list at /. */
export const issuerPaths = [configurationPath, keysPath]

/** The issuer of ServiceAccount tokens: its URL and its keys. */
export interface IssuerKeys {
  readonly url: string
  readonly keys: TokenKeys
}

function answer(body: object, mediaType: string): Response {
  const headers = { 'content-type': mediaType, 'cache-control': `public, max-age=${publishedFor}` }
  return new Response(JSON.stringify(body), { headers })
}

/** Returns host and base path of the cluster: the path of the deployment if its host is known. */
const addressOf = ({ url }: Request, { basePath, clusterPath }: ClusterAddress, serverAddress: string): string =>
  serverAddress === '' ? new URL(url).host + basePath : serverAddress + clusterPath

/**
 * Returns the response to a path of the issuer discovery, or undefined for other paths.
 * @param requested the path; a slash at its end does not matter
 * @param serverAddress `host:port`, or '' if only the request's Host is known
 * @throws ApiError 405 for methods other than GET, 406 if the client does not accept the media type
 */
export async function serveServiceAccountIssuer(
  request: Request,
  requested: string,
  address: ClusterAddress,
  { url, keys }: IssuerKeys,
  serverAddress: string,
): Promise<Response | undefined> {
  const path = requested.replace(/\/$/, '')
  if (!issuerPaths.includes(path)) return undefined
  if (request.method !== 'GET') throw methodNotAllowed()
  checkMediaTypes(path === keysPath ? routes.keys : routes.version, request)
  if (path === keysPath) return answer(await keys.published(), 'application/jwk-set+json')
  const document = {
    issuer: url,
    jwks_uri: `https://${addressOf(request, address, serverAddress)}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [tokenAlgorithm],
  }
  return answer(document, 'application/json')
}
