/** The entry: the Worker, the Durable Object classes, and how they are wired. */
import { Authenticator } from './auth/authenticator.ts'
import { Authorizer } from './auth/authorizer.ts'
import { bootstrapTokens } from './auth/bootstrap-tokens.ts'
import { isAccess, readAuthenticationConfiguration } from './auth/configuration.ts'
import { oidcTokens } from './auth/oidc/authenticator.ts'
import { AccountCache } from './auth/service-accounts/account-cache.ts'
import { ServiceAccountTokens } from './auth/service-accounts/authenticator.ts'
import { TokenKeys } from './auth/service-accounts/token-keys.ts'
import { StaticTokens } from './auth/static-tokens.ts'
import { WithoutAudiences } from './auth/token-authenticator.ts'
import { served } from './catalog/generated/served.ts'
import { Objects } from './clusters/objects.ts'
import { controlOf, defaultCluster } from './clusters/placement.ts'
import { PolicyCache } from './clusters/policy.ts'
import { Collection } from './controllers/collection-object.ts'
import { Control } from './controllers/control-object.ts'
import { type Environment, serviceAccountIssuerOf } from './controllers/environment.ts'
import { handle } from './http/app.ts'
import type { Authentication } from './http/chain/authentication.ts'
import type { Server } from './http/context.ts'
import { Discovery } from './http/discovery/discovery.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import { openApiPaths } from './http/openapi/serve.ts'
import { issuerPaths } from './http/service-account-issuer.ts'
import { sourceBuild } from './http/version.ts'

export { Collection, Control }

/** The kinds of tokens in the order of kube-apiserver. */
function authentication(environment: Environment, objects: Objects, keys: TokenKeys, issuer: string): Authentication {
  const { ADMIN_TOKEN = '', STATIC_TOKENS = '', AUTHENTICATION_CONFIGURATION = '', CLIENT_CERTIFICATES = '' } = environment
  const configuration = readAuthenticationConfiguration(AUTHENTICATION_CONFIGURATION)
  const statics = new StaticTokens(ADMIN_TOKEN, STATIC_TOKENS)
  const oidc = oidcTokens(configuration.jwt, (url, init) => fetch(url, init))
  const [cluster, audiences] = [defaultCluster, [issuer]]
  const tokens = [
    new WithoutAudiences(audiences, (token) => statics.holderOf(token)),
    new ServiceAccountTokens({ objects, cluster, keys, issuer, audiences }),
    new WithoutAudiences(audiences, bootstrapTokens(objects, cluster)),
    new WithoutAudiences(audiences, oidc),
  ]
  return {
    tokens: new Authenticator(tokens, audiences),
    anonymous: configuration.anonymous,
    accessAssertions: configuration.jwt.some(isAccess) ? 'taken' : 'ignored',
    clientCertificates: CLIENT_CERTIFICATES === 'cloudflare' ? 'cloudflare' : 'nowhere',
  }
}

function wire(environment: Environment): Server {
  const objects = new Objects(environment)
  const keys = new TokenKeys(objects, defaultCluster)
  const issuer = serviceAccountIssuerOf(environment)
  const health = healthChecks(async () => {
    const answer = await objects.get(controlOf(defaultCluster)).fetch('http://control/health')
    if (!answer.ok) throw new Error('the control object does not answer')
  })
  const policy = new PolicyCache(objects, defaultCluster)
  return {
    cluster: defaultCluster,
    objects,
    policy,
    authorizer: new Authorizer(policy),
    authentication: authentication(environment, objects, keys, issuer),
    accounts: new AccountCache(objects, defaultCluster),
    issuer: { url: issuer, keys },
    discovery: new Discovery(served),
    health,
    otherPaths: [...healthPaths(health), ...openApiPaths, ...issuerPaths, '/version'],
    build: sourceBuild,
    serverAddress: environment.SERVER_ADDRESS ?? '',
  }
}

let server: Server | undefined

/** The control object begins what a start leaves to it, and goes on with what a restart has interrupted. */
async function wake({ objects, cluster }: Server): Promise<void> {
  await objects
    .get(controlOf(cluster))
    .fetch('http://control/health')
    .catch((error: unknown) => console.error('the control object:', error))
}

export default {
  async fetch(request, environment, context): Promise<Response> {
    try {
      if (server === undefined) {
        server = wire(environment)
        context.waitUntil(wake(server))
      }
    } catch (error) {
      // Settings that cannot be read let nobody in, and tell only the operator why.
      console.error('settings:', error)
      return new Response('the server is not configured', { status: 500 })
    }
    return handle(server, request)
  },
} satisfies ExportedHandler<Environment>
